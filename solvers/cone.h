// Cones: the closed set of constraint kinds, and everything solvers may know about them.
//
// A block's vector is (n, t1, t2) in 3D, (n, t) in the plane, n alone without friction; with rolling resistance
// (n, t1, t2, m1, m2) or (n, t, m). For impulse r and relative velocity u of one block the law is
//
//     K* contains u + s(u),    r in K,    (u + s(u)) . r = 0
//
//   kind        dim   K                          K*                    shift s(u)
//   Free        any   everything                 {0}                   0
//   Orthant     1     r >= 0                     u >= 0                0
//   Coulomb     2, 3  |r_t| <= mu r_n            u_n >= mu |u_t|       (mu |u_t|, 0, 0)   De Saxce's
//   Associated  2, 3  same                       same                  0                  Anitescu's
//   Rolling     3, 5  |r_t| <= mu r_n and        u_n >= mu |u_t|       (mu |u_t| + mu_roll |u_m|, 0, ...)
//                     |r_m| <= mu_roll r_n             + mu_roll |u_m|                    Acary & Bourrier's (2021)
//
// All rows of a block are velocities (m/s) and impulses (N s), so that norms and residuals mean something. Rolling
// rows get there by a length R: u_m = R w for an angular velocity w, r_m = (moment impulse) / R, and mu_roll is the
// largest moment over R r_n, a number. With R = 1 m it is the rolling friction in m.
#pragma once

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string_view>

#include "base/types.h"

namespace carom {

enum class ConeKind : std::uint8_t { Free, Orthant, Coulomb, Associated, Rolling };

std::string_view name_of(ConeKind kind);  // "free", "orthant", ...

// A set of kinds: what a solver declares that it takes.
class ConeKinds {
 public:
  constexpr ConeKinds(std::initializer_list<ConeKind> kinds) {
    for (ConeKind kind : kinds) bits_ |= 1u << static_cast<unsigned>(kind);
  }
  constexpr bool contains(ConeKind kind) const { return (bits_ >> static_cast<unsigned>(kind) & 1u) != 0; }

 private:
  unsigned bits_ = 0;
};
inline constexpr ConeKinds kAllCones = {ConeKind::Free, ConeKind::Orthant, ConeKind::Coulomb, ConeKind::Associated,
                                        ConeKind::Rolling};
// A normal and one friction.
inline constexpr ConeKinds kFrictionCones = {ConeKind::Coulomb, ConeKind::Associated};
// What r = 0 solves wherever u_n >= 0.
inline constexpr ConeKinds kOpeningCones = {ConeKind::Orthant, ConeKind::Coulomb, ConeKind::Rolling};

inline constexpr int kMaxBlockDim = 6;

// One block's cone.
struct Cone {
  ConeKind kind = ConeKind::Coulomb;
  int dim = 3;
  double mu = 0;       // of friction: Coulomb, Associated and Rolling only
  double mu_roll = 0;  // of rolling resistance: Rolling only

  int tangents() const { return kind == ConeKind::Rolling ? dim / 2 : dim - 1; }  // rows of t, and of m where there are
};

// All blocks' cones, with where each block starts in a stacked vector.
class Cones {
 public:
  void add(const Cone& cone) {
    cones_.push_back(cone);
    offsets_.push_back(offsets_.back() + cone.dim);
  }
  void clear() {
    cones_.clear();
    offsets_.resize(1);
  }
  void reserve(int n) {
    cones_.reserve(static_cast<std::size_t>(n));
    offsets_.reserve(static_cast<std::size_t>(n) + 1);
  }

  int count() const { return static_cast<int>(cones_.size()); }  // blocks
  int rows() const { return offsets_.back(); }                   // length of r, u and q
  const Cone& operator[](int i) const { return cones_[static_cast<std::size_t>(i)]; }
  int offset(int i) const { return offsets_[static_cast<std::size_t>(i)]; }
  int dim(int i) const { return cones_[static_cast<std::size_t>(i)].dim; }

 private:
  std::vector<Cone> cones_;
  std::vector<int> offsets_ = {0};
};

// |x_t| of a friction block.
inline double tangential_norm(int dim, const double* x) {
  return dim == 2 ? std::abs(x[1]) : std::sqrt(x[1] * x[1] + x[2] * x[2]);
}

// |x_t| and |x_m| of a Rolling block.
struct RollingNorms {
  double tangential, rolling;
};
inline RollingNorms rolling_norms(int dim, const double* x) {
  if (dim == 3) return {std::abs(x[1]), std::abs(x[2])};
  return {std::sqrt(x[1] * x[1] + x[2] * x[2]), std::sqrt(x[3] * x[3] + x[4] * x[4])};
}

// x <- the nearest point of |x_t| <= mu x_n.
inline void project_friction_cone(double mu, int dim, double* x) {
  const double normal = x[0];
  const double tangential = tangential_norm(dim, x);
  if (normal >= 0 && tangential <= mu * normal) return;  // inside; mu = 0 needs the first condition
  if (mu * tangential <= -normal) {                      // in the polar cone: the apex is nearest
    for (int k = 0; k < dim; ++k) x[k] = 0;
    return;
  }
  // On the boundary ray: x_n = (n + mu |t|) / (1 + mu^2), x_t = mu x_n t/|t|
  x[0] = (normal + mu * tangential) / (1.0 + mu * mu);
  const double scale = mu * x[0] / tangential;
  for (int k = 1; k < dim; ++k) x[k] *= scale;
}

// x <- the nearest point of |x_t| <= mu x_n, |x_m| <= mu_roll x_n. Its normal y is the root of
//
//     y = x_n + mu max(0, |x_t| - mu y) + mu_roll max(0, |x_m| - mu_roll y)
//
// whose right side is the largest of four lines that fall: y is the largest of their roots.
inline void project_rolling_cone(double mu, double mu_roll, int dim, double* x) {
  const double normal = x[0];
  const auto [tangential, rolling] = rolling_norms(dim, x);
  if (normal >= 0 && tangential <= mu * normal && rolling <= mu_roll * normal) return;
  const double slid = normal + mu * tangential, rolled = mu_roll * rolling;
  const double y = std::max(
      std::max(normal, slid / (1 + mu * mu)),
      std::max((normal + rolled) / (1 + mu_roll * mu_roll), (slid + rolled) / (1 + mu * mu + mu_roll * mu_roll)));
  x[0] = std::max(y, 0.0);
  const double slide = tangential > mu * x[0] ? mu * x[0] / tangential : 1.0;
  const double roll = rolling > mu_roll * x[0] ? mu_roll * x[0] / rolling : 1.0;
  for (int k = 1; k < dim; ++k) x[k] *= k <= dim / 2 ? slide : roll;
}

// x <- P_K(x), the nearest point of K.
inline void project(const Cone& cone, double* x) {
  switch (cone.kind) {
    case ConeKind::Free:
      return;
    case ConeKind::Orthant:
      x[0] = std::max(0.0, x[0]);
      return;
    case ConeKind::Coulomb:
    case ConeKind::Associated:
      project_friction_cone(cone.mu, cone.dim, x);
      return;
    case ConeKind::Rolling:
      project_rolling_cone(cone.mu, cone.mu_roll, cone.dim, x);
      return;
  }
}

// s(u)_n; the other components of the shift are 0.
inline double de_saxce_shift(const Cone& cone, const double* u) {
  if (cone.kind == ConeKind::Coulomb) return cone.mu * tangential_norm(cone.dim, u);
  if (cone.kind != ConeKind::Rolling) return 0;
  const RollingNorms norms = rolling_norms(cone.dim, u);
  return cone.mu * norms.tangential + cone.mu_roll * norms.rolling;
}

// How far one block is from solving its law: out = r - P_K(r - rho (u + s(u))), zero iff it does.
inline void natural_map(const Cone& cone, const double* r, const double* u, double rho, double* out) {
  for (int k = 0; k < cone.dim; ++k) out[k] = r[k] - rho * u[k];
  out[0] -= rho * de_saxce_shift(cone, u);
  project(cone, out);
  for (int k = 0; k < cone.dim; ++k) out[k] = r[k] - out[k];
}

}  // namespace carom
