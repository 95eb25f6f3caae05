#include "solvers/one_contact.h"

#include <Eigen/LU>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/rolling_contact.h"

namespace carom {

namespace {

// Singular directions of S get this fraction of the terms that S is the difference of.
constexpr double kSingular = 1e-13;

LocalCase open(int dim, double* r) {
  std::fill(r, r + dim, 0.0);
  return LocalCase::Open;
}

LocalCase frictionless(const Elimination& e, int dim, const double* q, double* r) {
  std::fill(r, r + dim, 0.0);
  r[0] = -q[0] * e.inverse_nn;
  return LocalCase::Slip;
}

// r from turned y = W_nn r_t, with u_n = 0.
void complete(const Elimination& e, double q_n, double y1, double y2, double* r) {
  r[0] = -(q_n + e.nt[0] * y1 + e.nt[1] * y2) * e.inverse_nn;
  r[1] = (e.cosine * y1 - e.sine * y2) * e.inverse_nn;
  r[2] = (e.sine * y1 + e.cosine * y2) * e.inverse_nn;
}

// Sliding in 3D is u_t = -alpha y with alpha > 0 and |y| = mu W_nn r_n, so that
//
//     y = -p(alpha) / D(alpha),    p = adj(S) b + alpha b,    D = det(S + alpha I)
//     Q(alpha) = mu D W_nn r_n = mu (-q_n D + nt . p) = |p(alpha)|
//
// a quadratic that meets a hyperbola. Q(0) < |p(0)|, else the block would stick. |p| <= |p(0)| + alpha |b| bounds the
// root from above, by the root of a quadratic; it is the root itself when S is isotropic, as it is for spheres.
struct SlidingEquation {
  double b1, b2, p1, p2;            // b, adj(S) b
  double square, linear, constant;  // Q = square alpha^2 + linear alpha + constant

  double at(double alpha) const { return (square * alpha + linear) * alpha + constant; }  // Q

  double upper_bound() const {
    const double half = 0.5 * (linear - std::sqrt(b1 * b1 + b2 * b2));
    const double at_zero = constant - std::sqrt(p1 * p1 + p2 * p2);
    const double root = std::sqrt(half * half - square * at_zero);
    return half >= 0 ? -at_zero / (half + root) : (root - half) / square;
  }

  // Halley's steps on f = Q^2 - |p|^2 = 0, which needs no root, kept between a point below the solution and one above.
  // From `guess`, or from the upper bound when there is none.
  double solve(double guess) const {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    double low = 0, high = kInfinity;
    double alpha = guess > 0 ? guess : upper_bound();
    if (!(guess > 0)) high = alpha;
    for (int iteration = 0; iteration < 100; ++iteration) {
      const double x = p1 + alpha * b1, y = p2 + alpha * b2;
      const double Q = at(alpha);
      const double Q_slope = 2 * square * alpha + linear;
      const double f = Q * Q - (x * x + y * y);
      const double slope = Q * Q_slope - (x * b1 + y * b2);                          // f' / 2
      const double bend = Q_slope * Q_slope + 2 * square * Q - (b1 * b1 + b2 * b2);  // f'' / 2
      (Q > 0 && f >= 0 ? high : low) = alpha;
      const double step = 2 * f * slope / (4 * slope * slope - f * bend);
      const double next = alpha - step;
      if (Q > 0 && std::abs(step) <= 1e-7 * alpha && std::abs(f * bend) <= 2 * slope * slope) {
        alpha = next;  // Halley triples digits: these were the last
        break;
      }
      if (Q > 0 && next > low && next < high) {
        alpha = next;
        continue;
      }
      // At a solution within rounding? Else the bound, else half way.
      const double terms = (square * alpha + std::abs(linear)) * alpha + std::abs(constant), norm = std::hypot(x, y);
      if (std::abs(Q - norm) <= 2 * std::numeric_limits<double>::epsilon() * (terms + norm)) break;
      const double middle = high < kInfinity ? 0.5 * (low + high) : std::max(low, high = upper_bound());
      if (!(std::abs(middle - alpha) > 0)) break;
      alpha = middle;
    }
    return alpha;
  }
};

}  // namespace

Elimination eliminate_normal(int dim, const double* W) {
  Elimination e;
  e.inverse_nn = 1.0 / W[0];
  if (dim == 2) {
    e.nt[0] = W[1] * e.inverse_nn;
    e.lever[0] = W[2] * e.inverse_nn;
    const double tt = W[3] * e.inverse_nn, product = e.lever[0] * e.nt[0];
    const double tiny = kSingular * (std::abs(tt) + std::abs(product)) + kSingular * kSingular;
    e.s[0] = std::max(tt - product, tiny);
    e.determinant = e.s[0];
    e.inverse_determinant = 1.0 / e.s[0];
    return e;
  }
  const double nt1 = W[1] * e.inverse_nn, nt2 = W[2] * e.inverse_nn;
  const double lever1 = W[3] * e.inverse_nn, lever2 = W[6] * e.inverse_nn;
  const double t11 = W[4] * e.inverse_nn, t22 = W[8] * e.inverse_nn;
  const double s11 = t11 - lever1 * nt1, s12 = W[5] * e.inverse_nn - lever1 * nt2;
  const double s21 = W[7] * e.inverse_nn - lever2 * nt1, s22 = t22 - lever2 * nt2;
  // Jacobi's turn: tan(2 angle) = 2 h / (s11 - s22), the smaller of its two angles.
  const double h = 0.5 * (s12 + s21);
  double tangent = 0;
  if (h != 0) {
    const double difference = 0.5 * (s11 - s22);
    tangent = h / (difference + std::copysign(std::sqrt(difference * difference + h * h), difference));
    e.cosine = 1.0 / std::sqrt(1.0 + tangent * tangent);
    e.sine = tangent * e.cosine;
  }
  const double terms = std::abs(t11) + std::abs(t22) + std::abs(lever1 * nt1) + std::abs(lever2 * nt2);
  const double tiny = kSingular * terms + kSingular * kSingular;
  e.s[0] = std::max(s11 + tangent * h, tiny);
  e.s[1] = std::max(s22 - tangent * h, tiny);
  e.w = 0.5 * (s12 - s21);
  e.determinant = e.s[0] * e.s[1] + e.w * e.w;
  e.inverse_determinant = 1.0 / e.determinant;
  e.nt[0] = e.cosine * nt1 + e.sine * nt2;
  e.nt[1] = -e.sine * nt1 + e.cosine * nt2;
  e.lever[0] = e.cosine * lever1 + e.sine * lever2;
  e.lever[1] = -e.sine * lever1 + e.cosine * lever2;
  return e;
}

void stick_3d(const Elimination& e, const double* q, double* r) {
  const double b1 = e.cosine * q[1] + e.sine * q[2] - e.lever[0] * q[0];
  const double b2 = -e.sine * q[1] + e.cosine * q[2] - e.lever[1] * q[0];
  complete(e, q[0], -(e.s[1] * b1 - e.w * b2) * e.inverse_determinant,
           -(e.w * b1 + e.s[0] * b2) * e.inverse_determinant, r);
}

void stick_2d(const Elimination& e, const double* q, double* r) {
  const double y = -(q[1] - e.lever[0] * q[0]) * e.inverse_determinant;
  r[0] = -(q[0] + e.nt[0] * y) * e.inverse_nn;
  r[1] = y * e.inverse_nn;
}

LocalCase solve_coulomb_3d(const Elimination& e, double mu, const double* q, double& alpha, double* r) {
  const double q_n = q[0];
  if (q_n >= 0) return open(3, r);
  if (mu <= kFrictionless) return frictionless(e, 3, q, r);

  // b = q_t - lever q_n, p(0) = adj(S) b, all turned
  const double b1 = e.cosine * q[1] + e.sine * q[2] - e.lever[0] * q_n;
  const double b2 = -e.sine * q[1] + e.cosine * q[2] - e.lever[1] * q_n;
  const double p1 = e.s[1] * b1 - e.w * b2;
  const double p2 = e.w * b1 + e.s[0] * b2;

  // Sticking: y = -S^-1 b = -p(0) / D(0) within the cone, that is F(0) >= 0
  const double normal = -q_n * e.determinant + e.nt[0] * p1 + e.nt[1] * p2;  // D(0) W_nn r_n
  const double reach = mu * normal;
  if (reach >= 0 && p1 * p1 + p2 * p2 <= reach * reach) {
    complete(e, q_n, -p1 * e.inverse_determinant, -p2 * e.inverse_determinant, r);
    return LocalCase::Stick;
  }

  // Sliding: F(alpha) = 0
  const double trace = e.s[0] + e.s[1];
  const SlidingEquation equation{.b1 = b1,
                                 .b2 = b2,
                                 .p1 = p1,
                                 .p2 = p2,
                                 .square = -mu * q_n,
                                 .linear = mu * (-q_n * trace + e.nt[0] * b1 + e.nt[1] * b2),
                                 .constant = reach};
  alpha = equation.solve(alpha);
  // mu W_nn r_n = Q / D and W_nn r_t = -p / D, turned back. p is brought to length Q to the last bit: the ratio of
  // squares is 1 + rounding, so its root is the mean of it and 1.
  const double x = p1 + alpha * b1, y = p2 + alpha * b2, squares = x * x + y * y;
  const double Q = std::max(equation.at(alpha), 0.0);
  const double scale = e.inverse_nn / ((alpha + trace) * alpha + e.determinant);
  const double fit = squares > 0 ? (0.5 + 0.5 * (Q * Q) / squares) * -scale : 0.0;
  r[0] = Q * scale / mu;
  r[1] = fit * (e.cosine * x - e.sine * y);
  r[2] = fit * (e.sine * x + e.cosine * y);
  return LocalCase::Slip;
}

LocalCase solve_coulomb_2d(const Elimination& e, double mu, const double* q, double* r) {
  const double q_n = q[0];
  if (q_n >= 0) return open(2, r);
  if (mu <= kFrictionless) return frictionless(e, 2, q, r);
  // Sticking: y = -b / S with |y| <= mu W_nn r_n
  const double b = q[1] - e.lever[0] * q_n;
  if (std::abs(b) <= mu * (-q_n * e.s[0] + e.nt[0] * b)) {
    stick_2d(e, q, r);
    return LocalCase::Stick;
  }
  // Sliding against b: r_t = -sign(b) mu r_n and u_n = 0
  const double direction = b > 0 ? -mu : mu;
  r[0] = -q_n * e.inverse_nn / (1.0 + e.nt[0] * direction);
  r[1] = direction * r[0];
  return LocalCase::Slip;
}

void pseudo_inverse(int dim, const double* W, double* P) {
  using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, kMaxBlockDim, kMaxBlockDim>;
  using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, kMaxBlockDim, 1>;
  const Eigen::Map<const Small> block(W, dim, dim);
  // Rows and columns divided by sqrt(W_kk), so that metres and radians do not decide the rank.
  SmallVector scale(dim);
  for (int k = 0; k < dim; ++k) scale[k] = block(k, k) > 0 ? 1.0 / std::sqrt(block(k, k)) : 1.0;
  const Small scaled = scale.asDiagonal() * block * scale.asDiagonal();
  // Pivots tell cheaply whether there is an inverse; singular values cost more and are asked only if not.
  Small inverse(dim, dim);
  Eigen::FullPivLU<Small> lu(scaled);
  lu.setThreshold(1e-9);
  if (lu.isInvertible()) {
    inverse = lu.inverse();
  } else {
    const Eigen::JacobiSVD<Small, Eigen::NoQRPreconditioner> svd(scaled, Eigen::ComputeFullU | Eigen::ComputeFullV);
    SmallVector reciprocal = svd.singularValues();
    const double negligible = 1e-12 * reciprocal[0];
    for (double& value : reciprocal) value = value > negligible ? 1.0 / value : 0.0;
    inverse = svd.matrixV() * reciprocal.asDiagonal() * svd.matrixU().transpose();
  }
  Eigen::Map<Small>(P, dim, dim) = scale.asDiagonal() * inverse * scale.asDiagonal();
}

LocalCase solve_block(const Cone& cone, const double* W, const double* q, double* r) {
  switch (cone.kind) {
    case ConeKind::Free: {
      double P[kMaxBlockDim * kMaxBlockDim];
      double u[kMaxBlockDim];
      pseudo_inverse(cone.dim, W, P);
      std::fill(r, r + cone.dim, 0.0);
      // r = -P q, and once more on what is left of u
      for (int pass = 0; pass < 2; ++pass) {
        for (int k = 0; k < cone.dim; ++k) {
          u[k] = q[k];
          for (int l = 0; l < cone.dim; ++l) u[k] += W[k * cone.dim + l] * r[l];
        }
        for (int k = 0; k < cone.dim; ++k) {
          for (int l = 0; l < cone.dim; ++l) r[k] -= P[k * cone.dim + l] * u[l];
        }
      }
      return LocalCase::Stick;
    }
    case ConeKind::Orthant:
      r[0] = q[0] >= 0 ? 0.0 : -q[0] / W[0];
      return q[0] >= 0 ? LocalCase::Open : LocalCase::Stick;
    case ConeKind::Coulomb: {
      const Elimination e = eliminate_normal(cone.dim, W);
      double unknown = 0;
      return cone.dim == 3 ? solve_coulomb_3d(e, cone.mu, q, unknown, r) : solve_coulomb_2d(e, cone.mu, q, r);
    }
    case ConeKind::Associated: {
      const Elimination e = eliminate_normal(cone.dim, W);
      return cone.dim == 3 ? solve_associated_3d(e, W, cone.mu, q, r) : solve_associated_2d(e, W, cone.mu, q, r);
    }
    case ConeKind::Rolling: {
      RollingElimination e = eliminate_rolling(cone, W);
      return solve_rolling(cone, e, q, r);
    }
  }
  return LocalCase::Open;
}

}  // namespace carom
