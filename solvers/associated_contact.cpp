// The one-block solve of Anitescu's associated law: a second-order cone problem in 2 or 3 unknowns.
//
// Off the closed cases r lies on a ray of the cone's boundary and u on the opposite ray of the dual's:
//
//     r = s d,  d = (1, e),  |e| = 1,  u . d = 0,  u_t parallel to e,  u_n >= 0      (cone scaled to mu = 1)
//
// u = -alpha J r with J = diag(-1, 1, 1) makes it (W + alpha J) r = -q, r^T J r = 0: a quartic in alpha whose
// positive roots give all candidate rays. Where W + alpha J is near singular (q_n near 0) that form loses
// digits, so each candidate is polished in the angle of e, a form that is regular there.
#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/one_contact.h"
#include "solvers/polynomial_roots.h"

namespace carom {

namespace {

constexpr double kSingular = 1e-13;  // mobility given to singular directions, relative to the diagonal
constexpr double kExact = 1e-14;     // a ray this good is taken without looking at others
constexpr double kAcceptable = 1e-12;

double tangential_norm(int dim, const double* x) { return dim == 2 ? std::abs(x[1]) : std::hypot(x[1], x[2]); }

// q in K*, and the frictionless cone {r_t = 0}: true when that settled it.
bool closed_cases(const Elimination& e, int dim, double mu, const double* q, double* r, LocalCase& result) {
  std::fill(r, r + dim, 0.0);
  result = LocalCase::Open;
  if (q[0] >= mu * tangential_norm(dim, q)) return true;
  if (mu <= kFrictionless) {
    r[0] = -q[0] * e.inverse_nn;
    result = LocalCase::Slip;
    return true;
  }
  dim == 3 ? stick_3d(e, q, r) : stick_2d(e, q, r);
  result = LocalCase::Stick;
  return tangential_norm(dim, r) <= mu * r[0];
}

// One boundary ray d = (1, e) of the scaled cone and how far it is from solving the block.
struct Ray {
  double e1 = 1, e2 = 0;
  double length = 0;                                           // s
  double violation = std::numeric_limits<double>::infinity();  // relative to the terms that make up u
};

struct ScaledBlock {
  Mat3 W;  // D^-1 W D^-1, D = diag(mu, 1, 1)
  Vec3 q;  // D^-1 q

  // The components of u that must vanish: along d it does by the choice of s; this is the one across,
  //     G(angle) = (q . d') (d W d) - (q . d) (d' W d),   d' = (0, -e2, e1).
  void across(double e1, double e2, double& g, double& slope) const {
    const Vec3 d(1, e1, e2), side(0, -e2, e1), back(0, -e1, -e2);  // derivatives: d' = side, side' = back
    const Vec3 Wd = W * d, Wside = W * side;
    const double dWd = d.dot(Wd), sWd = side.dot(Wd), q_d = q.dot(d), q_s = q.dot(side);
    g = q_s * dWd - q_d * sWd;
    slope = q.dot(back) * dWd + q_s * d.dot(Wside) - q_d * (back.dot(Wd) + side.dot(Wside));
  }

  Ray judge(double e1, double e2) const {
    Ray ray{.e1 = e1, .e2 = e2};
    const Vec3 d(1, e1, e2);
    const Vec3 Wd = W * d;
    ray.length = -q.dot(d) / d.dot(Wd);
    if (!(ray.length > 0)) return ray;
    // alpha >= 0 is u_n >= 0 and u_t . e <= 0, the same since u . d = 0: read from the one that rounding blurs less.
    const Vec3 u = ray.length * Wd + q;
    const Vec3 terms = ray.length * W.rowwise().norm() + q.cwiseAbs();
    const double normal = terms[0], tangential = terms[1] + terms[2];
    const double backward = normal < tangential ? -u[0] / normal : (u[1] * e1 + u[2] * e2) / tangential;
    ray.violation = std::abs(e1 * u[2] - e2 * u[1]) / tangential + std::max(0.0, backward);
    return ray;
  }

  // Newton on G from a candidate direction; a step that does not bring G down is halved.
  Ray polish(double e1, double e2) const {
    double g, slope;
    across(e1, e2, g, slope);
    for (int iteration = 0; iteration < 20 && g != 0; ++iteration) {
      double step = std::clamp(-g / slope, -0.5, 0.5);
      bool improved = false;
      for (int halving = 0; halving < 6 && !improved; ++halving, step *= 0.5) {
        const double c = std::cos(step), s = std::sin(step);
        double f1 = c * e1 - s * e2, f2 = s * e1 + c * e2;
        const double norm = std::hypot(f1, f2);
        f1 /= norm;
        f2 /= norm;
        double g_new, slope_new;
        across(f1, f2, g_new, slope_new);
        improved = std::abs(g_new) < std::abs(g);
        if (!improved) continue;
        e1 = f1, e2 = f2, g = g_new, slope = slope_new;
      }
      if (!improved) break;
    }
    return judge(e1, e2);
  }
};

// adj(A + alpha B) = adj(A) + alpha cross(A, B) + alpha^2 adj(B)
Mat3 adjugate_cross(const Mat3& A, const Mat3& B) {
  const double a = A.trace(), b = B.trace();
  return A * B + B * A - a * B - b * A + (a * b - (A * B).trace()) * Mat3::Identity();
}

// Keeps the better of the best ray so far and the one polished from alpha's. The ray's sign is that of r_n > 0.
void try_multiplier(const ScaledBlock& block, const Vec3 N[3], double alpha, double sign, bool reversed, Ray& best) {
  const Vec3 n = reversed ? Vec3((N[0] * alpha + N[1]) * alpha + N[2]) : Vec3((N[2] * alpha + N[1]) * alpha + N[0]);
  const double norm = std::hypot(n[1], n[2]);
  if (!(norm > 0)) return;
  const double turn = (n[0] < 0 ? -sign : sign) / norm;
  const Ray ray = block.polish(turn * n[1], turn * n[2]);
  if (ray.violation < best.violation) best = ray;
}

Ray best_ray(const ScaledBlock& block) {
  const Mat3 W = block.W / block.W.norm();
  const Vec3 q = block.q.normalized();
  const Mat3 J = Vec3(-1, 1, 1).asDiagonal();
  // r is a multiple of N(alpha) = N0 + N1 alpha + N2 alpha^2; its quartic is N^T J N
  const Vec3 N[3] = {0.5 * adjugate_cross(W, W) * q, adjugate_cross(W, J) * q, 0.5 * adjugate_cross(J, J) * q};
  const auto form = [&](int i, int j) { return N[i].dot(J * N[j]); };
  const Polynomial quartic = {form(0, 0), 2 * form(0, 1), 2 * form(0, 2) + form(1, 1), 2 * form(1, 2), form(2, 2)};
  Polynomial backward = quartic;
  std::reverse(backward.begin(), backward.end());

  // alpha in [0, 1] by the quartic, alpha > 1 by the same in 1 / alpha: no bound on the roots is needed. Then
  // double roots and the opposite rays, which only degenerate blocks need.
  Ray best;
  for (const bool thorough : {false, true}) {
    for (const bool reversed : {false, true}) {
      for (const double alpha : real_roots(reversed ? backward : quartic, 4, 0, 1, thorough)) {
        try_multiplier(block, N, alpha, 1, reversed, best);
        if (thorough) try_multiplier(block, N, alpha, -1, reversed, best);
        if (best.violation <= kExact) return best;
      }
    }
    if (best.violation <= kAcceptable) return best;
  }
  // G is a trigonometric polynomial of degree 3: starts all around reach each of its six roots.
  constexpr int kStarts = 48;
  for (int k = 0; k < kStarts; ++k) {
    const double angle = 2 * 3.14159265358979323846 * k / kStarts;
    const Ray ray = block.polish(std::cos(angle), std::sin(angle));
    if (ray.violation < best.violation) best = ray;
  }
  return best;
}

}  // namespace

LocalCase solve_associated_3d(const Elimination& e, const double* W, double mu, const double* q, double* r) {
  LocalCase result;
  if (closed_cases(e, 3, mu, q, r, result)) return result;

  ScaledBlock block;
  block.W = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(W);
  block.W.diagonal() += kSingular * block.W.diagonal().cwiseAbs();
  block.W.row(0) /= mu;
  block.W.col(0) /= mu;
  block.q = Vec3(q[0] / mu, q[1], q[2]);
  const Ray ray = best_ray(block);
  r[0] = ray.length / mu;
  r[1] = ray.length * ray.e1;
  r[2] = ray.length * ray.e2;
  return LocalCase::Slip;
}

LocalCase solve_associated_2d(const Elimination& e, const double* W, double mu, const double* q, double* r) {
  LocalCase result;
  if (closed_cases(e, 2, mu, q, r, result)) return result;
  // The cone has two rays d = (1, +-mu): u . d = 0 on its own, u . d' >= 0 on the other
  double best = -std::numeric_limits<double>::infinity();
  for (const double t : {-mu, mu}) {
    const double Wd_n = W[0] * (1 + kSingular) + W[1] * t, Wd_t = W[2] + W[3] * (1 + kSingular) * t;
    const double length = -(q[0] + t * q[1]) / (Wd_n + t * Wd_t);
    if (!(length > 0)) continue;
    const double slack = (length * Wd_n + q[0]) - t * (length * Wd_t + q[1]);
    if (slack <= best) continue;
    best = slack;
    r[0] = length;
    r[1] = length * t;
  }
  return LocalCase::Slip;
}

}  // namespace carom
