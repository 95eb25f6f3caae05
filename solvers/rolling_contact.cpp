#include "solvers/rolling_contact.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace carom {

namespace {

constexpr double kSingular = 1e-13;  // of the terms that S is the difference of: what its singular directions get
constexpr double kNear = 1e-12;      // of phi: as good as it gets where steps gain no more
constexpr double kSolved = 1e-14;    // of phi
constexpr int kNewtonSteps = 12;
constexpr int kBisections = 200;
constexpr double kLargest = 1e30;  // of a: nothing moves there any more

// Rows of x = (t, m): part 0 is t, part 1 is m, of Half rows each.
template <int Half>
struct Pair {
  static constexpr int kRows = 2 * Half;

  static double length(const double* x, int part) {
    return Half == 1 ? std::abs(x[part]) : std::sqrt(x[2 * part] * x[2 * part] + x[2 * part + 1] * x[2 * part + 1]);
  }
  static double dot(const double* x, const double* y, int part) {
    return Half == 1 ? x[part] * y[part] : x[2 * part] * y[2 * part] + x[2 * part + 1] * y[2 * part + 1];
  }
};

// S + diag(a_t, a_m) = L U
template <int Half>
class Factored {
  static constexpr int kRows = 2 * Half;

 public:
  Factored(const RollingElimination& e, const double* a) {
    std::copy_n(e.S, kRows * kRows, lu_);
    for (int k = 0; k < kRows; ++k) lu_[k * kRows + k] += a[k / Half];
    for (int k = 0; k < kRows; ++k) {
      inverse_[k] = 1 / std::max(lu_[k * kRows + k], e.smallest[k]);
      for (int i = k + 1; i < kRows; ++i) {
        const double factor = lu_[i * kRows + k] *= inverse_[k];
        for (int j = k + 1; j < kRows; ++j) lu_[i * kRows + j] -= factor * lu_[k * kRows + j];
      }
    }
  }

  void solve(double* x) const {
    for (int i = 1; i < kRows; ++i)
      for (int k = 0; k < i; ++k) x[i] -= lu_[i * kRows + k] * x[k];
    for (int i = kRows; i-- > 0;) {
      for (int k = i + 1; k < kRows; ++k) x[i] -= lu_[i * kRows + k] * x[k];
      x[i] *= inverse_[i];
    }
  }

 private:
  double lu_[kRows * kRows], inverse_[kRows];
};

// The block for one pair of coefficients and one q.
template <int Half>
class Sliding {
  static constexpr int kRows = 2 * Half;
  using Parts = Pair<Half>;

 public:
  Sliding(const RollingElimination& e, const Cone& cone, const double* q) : e_(e), mu_{cone.mu, cone.mu_roll} {
    q_n_ = q[0];
    for (int k = 0; k < kRows; ++k) b_[k] = q[1 + k] - e.lever[k] * q[0];
  }

  // a_p where impulses are small and the other part does not matter: |b_p| / a_p = -mu_p q_n
  double far(int part) const { return Parts::length(b_, part) / (mu_[part] * -q_n_); }
  bool sticks() const { return phi_[0] >= 0 && phi_[1] >= 0 && normal_ >= 0; }
  double phi(int part) const { return phi_[part]; }

  // With N held, y is that of the least 1/2 y.S y + b.y over |y_p| <= mu_p N.
  void hold(double N) { held_ = N; }
  void release() { held_ = 0; }
  // u_n where N is held, of the y that belongs to it
  double normal_velocity() const { return held_ - normal_of_y(); }

  // N of what there is an answer between, if it does not stick: |nt . y| <= (mu_t |nt_t| + mu_m |nt_m|) N below, and
  // above there is room for the y that sticks, of the last evaluate.
  std::pair<double, double> bracket() const {
    double room = 0, reach = 1;
    for (int p = 0; p < 2; ++p) {
      room = std::max(room, length_[p] / mu_[p]);
      reach += mu_[p] * Parts::length(e_.nt, p);
    }
    return {-q_n_ / reach, std::max(room, -q_n_)};
  }

  // y = -(S + diag(a))^-1 b and what follows from it
  Factored<Half> evaluate(const double* a) {
    const Factored<Half> factored(e_, a);
    for (int k = 0; k < kRows; ++k) y_[k] = -b_[k];
    factored.solve(y_);
    normal_ = held_ > 0 ? held_ : normal_of_y();
    for (int p = 0; p < 2; ++p) {
      length_[p] = Parts::length(y_, p);
      phi_[p] = length_[p] > 0 ? mu_[p] * normal_ / length_[p] - 1 : std::numeric_limits<double>::infinity();
    }
    return factored;
  }

  // a with phi = 0 where a > 0 and phi >= 0 where a = 0, from a first guess. False: not found.
  bool newton(double* a) {
    double before = std::numeric_limits<double>::infinity();
    for (int step = 0; step < kNewtonSteps; ++step) {
      const Factored<Half> factored = evaluate(a);
      const bool active[2] = {a[0] > 0 || phi_[0]<0, a[1]> 0 || phi_[1] < 0};
      double largest = 0;
      for (int p = 0; p < 2; ++p) {
        if (active[p]) largest = std::max(largest, std::abs(phi_[p]));
      }
      if (!std::isfinite(largest)) return false;
      const bool last = largest < kNear && !(largest < 0.1 * before);
      if (largest <= kSolved || last) return normal_ >= 0;
      before = largest;
      if (!move(factored, active, a)) return false;
    }
    return false;
  }

  // r, with sliding parts brought to their length to the last bit.
  void complete(const double* a, double* r) const {
    const double N = std::max(normal_, 0.0);
    r[0] = N * e_.inverse_nn;
    for (int k = 0; k < kRows; ++k) {
      const int p = k / Half;
      const double fit = a[p] > 0 ? mu_[p] * N / length_[p] : 1.0;
      r[1 + k] = fit * y_[k] * e_.inverse_nn;
    }
  }

 private:
  // of u_n = 0
  double normal_of_y() const {
    double N = -q_n_;
    for (int k = 0; k < kRows; ++k) N -= e_.nt[k] * y_[k];
    return N;
  }

  // a <- max(0, a - (dphi/da)^-1 phi) over active parts
  bool move(const Factored<Half>& factored, const bool* active, double* a) const {
    double J[2][2] = {{1, 0}, {0, 1}}, right[2] = {0, 0};
    for (int p = 0; p < 2; ++p) {
      if (!active[p]) continue;
      right[p] = -phi_[p];
      // dy/da_p = -(S + diag(a))^-1 y_p
      double dy[kRows] = {}, dN = 0;
      for (int k = p * Half; k < (p + 1) * Half; ++k) dy[k] = -y_[k];
      factored.solve(dy);
      for (int k = 0; k < kRows && held_ == 0; ++k) dN -= e_.nt[k] * dy[k];
      for (int row = 0; row < 2; ++row) {
        if (!active[row]) continue;
        const double stretch = Parts::dot(y_, dy, row) / length_[row];
        J[row][p] = mu_[row] / length_[row] * (dN - normal_ * stretch / length_[row]);
      }
    }
    const double determinant = J[0][0] * J[1][1] - J[0][1] * J[1][0];
    double step[2] = {(J[1][1] * right[0] - J[0][1] * right[1]) / determinant,
                      (J[0][0] * right[1] - J[1][0] * right[0]) / determinant};
    // A part whose impulse is too long must not be let go because of what the other one does: each for itself, then.
    const auto lets_go = [&](int p) { return right[p] > 0 && !(a[p] + step[p] > 0); };
    if (lets_go(0) || lets_go(1)) {
      for (int p = 0; p < 2; ++p) {
        step[p] = right[p] / J[p][p];
        if (right[p] > 0 && !(step[p] > 0)) step[p] = a[p] + far(p);
      }
    }
    for (int p = 0; p < 2; ++p) {
      if (!std::isfinite(step[p])) return false;
      if (active[p]) a[p] = std::max(0.0, a[p] + step[p]);
    }
    return true;
  }

  const RollingElimination& e_;
  double mu_[2];
  double q_n_, b_[kRows];
  double held_ = 0;  // N; 0: not held
  double y_[kRows], normal_ = 0, length_[2], phi_[2];
};

// The smallest a >= 0 that does not fall short, where all larger ones do not either.
template <class FallsShort>
double bracketed(double guess, const FallsShort& falls_short) {
  if (!falls_short(0)) return 0;
  double low = 0, high = guess > 0 && std::isfinite(guess) ? guess : 1;
  while (high < kLargest && falls_short(high)) low = high, high *= 16;
  for (int k = 0; k < kBisections && high > low * (1 + 1e-15); ++k) {
    const double middle = low > 0 ? std::sqrt(low) * std::sqrt(high) : 1e-4 * high;
    (falls_short(middle) ? low : high) = middle;
  }
  return high;
}

// a of the block with N held: each |y_p| falls as its a_p grows, whatever becomes of the other part.
template <int Half>
void solve_held(Sliding<Half>& sliding, double N, double* a) {
  sliding.hold(N);
  if (sliding.newton(a)) return;
  const auto too_long = [&](int part) { return sliding.phi(part) < 0; };
  a[1] = bracketed(a[1], [&](double a_m) {
    a[0] = bracketed(a[0], [&](double a_t) {
      const double trial[2] = {a_t, a_m};
      sliding.evaluate(trial);
      return too_long(0);
    });
    const double both[2] = {a[0], a_m};
    sliding.evaluate(both);
    return too_long(1);
  });
  a[0] = bracketed(a[0], [&](double a_t) {
    const double trial[2] = {a_t, a[1]};
    sliding.evaluate(trial);
    return too_long(0);
  });
  sliding.evaluate(a);
}

// Brackets N, and asks Newton's method again from better and better guesses. After evaluate(0).
template <int Half>
LocalCase solve_bracketed(Sliding<Half>& sliding, double* a, double* r) {
  auto [low, high] = sliding.bracket();
  double held[2] = {0, 0};
  for (int k = 0; k < kBisections && high > low * (1 + 1e-15); ++k) {
    const double middle = std::sqrt(low) * std::sqrt(high);
    solve_held(sliding, middle, held);
    (sliding.normal_velocity() < 0 ? low : high) = middle;
    sliding.release();
    a[0] = held[0], a[1] = held[1];
    if (sliding.newton(a)) break;
    a[0] = held[0], a[1] = held[1];
    sliding.evaluate(a);
  }
  sliding.complete(a, r);
  return LocalCase::Slip;
}

template <int Half>
LocalCase solve_both(const Cone& cone, RollingElimination& e, const double* q, double* r) {
  Sliding<Half> sliding(e, cone, q);
  constexpr double kStick[2] = {0, 0};
  sliding.evaluate(kStick);
  if (sliding.sticks()) {
    sliding.complete(kStick, r);
    return LocalCase::Stick;
  }
  const bool guess = e.a[0] > 0 || e.a[1] > 0;
  if (guess && sliding.newton(e.a)) {
    sliding.complete(e.a, r);
    return LocalCase::Slip;
  }
  e.a[0] = e.a[1] = 0;
  if (sliding.newton(e.a)) {
    sliding.complete(e.a, r);
    return LocalCase::Slip;
  }
  sliding.evaluate(kStick);
  return solve_bracketed<Half>(sliding, e.a, r);
}

// One coefficient is 0: the normal with the other part alone.
LocalCase solve_single(const Cone& cone, RollingElimination& e, const double* q, double* r) {
  const int half = (cone.dim - 1) / 2;
  const bool rolls_freely = cone.mu_roll <= kFrictionless;
  const double mu = rolls_freely ? cone.mu : cone.mu_roll;
  const int first = rolls_freely ? 1 : 1 + half;
  double part_q[3] = {q[0], 0, 0}, part_r[3];
  std::copy_n(q + first, half, part_q + 1);
  const LocalCase found = half == 2 ? solve_coulomb_3d(e.single, mu, part_q, e.a[0], part_r)
                                    : solve_coulomb_2d(e.single, mu, part_q, part_r);
  std::fill(r, r + cone.dim, 0.0);
  r[0] = part_r[0];
  std::copy_n(part_r + 1, half, r + first);
  // a part without resistance that moves is sliding
  return found == LocalCase::Open ? found : LocalCase::Slip;
}

}  // namespace

RollingElimination eliminate_rolling(const Cone& cone, const double* W) {
  const int dim = cone.dim, half = (dim - 1) / 2, rows = dim - 1;
  RollingElimination e;
  e.inverse_nn = 1 / W[0];
  e.a[0] = e.a[1] = 0;
  if (cone.mu <= kFrictionless || cone.mu_roll <= kFrictionless) {
    const int first = cone.mu_roll <= kFrictionless ? 1 : 1 + half;
    double part[9];
    for (int i = 0; i <= half; ++i) {
      for (int j = 0; j <= half; ++j)
        part[i * (half + 1) + j] = W[(i == 0 ? 0 : first + i - 1) * dim + (j == 0 ? 0 : first + j - 1)];
    }
    e.single = eliminate_normal(half + 1, part);
    return e;
  }
  for (int k = 0; k < rows; ++k) {
    e.nt[k] = W[1 + k] * e.inverse_nn;
    e.lever[k] = W[(1 + k) * dim] * e.inverse_nn;
  }
  for (int k = 0; k < rows; ++k) {
    for (int l = 0; l < rows; ++l) e.S[k * rows + l] = W[(1 + k) * dim + 1 + l] * e.inverse_nn - e.lever[k] * e.nt[l];
    const double terms = std::abs(W[(1 + k) * dim + 1 + k] * e.inverse_nn) + std::abs(e.lever[k] * e.nt[k]);
    e.smallest[k] = kSingular * terms + kSingular * kSingular;
  }
  return e;
}

LocalCase solve_rolling(const Cone& cone, RollingElimination& e, const double* q, double* r) {
  if (q[0] >= 0) {
    std::fill(r, r + cone.dim, 0.0);
    return LocalCase::Open;
  }
  if (cone.mu <= kFrictionless || cone.mu_roll <= kFrictionless) return solve_single(cone, e, q, r);
  return cone.dim == 5 ? solve_both<2>(cone, e, q, r) : solve_both<1>(cone, e, q, r);
}

}  // namespace carom
