#include "solvers/cone.h"

#include <algorithm>
#include <cmath>

namespace carom {

std::string_view name_of(ConeKind kind) {
  switch (kind) {
    case ConeKind::Free:
      return "free";
    case ConeKind::Orthant:
      return "orthant";
    case ConeKind::Coulomb:
      return "coulomb";
    case ConeKind::Associated:
      return "associated";
  }
  return "unknown";
}

namespace {

double tangential_norm(int dim, const double* x) { return dim == 2 ? std::abs(x[1]) : std::hypot(x[1], x[2]); }

// Nearest point of |x_t| <= mu x_n.
void project_friction_cone(double mu, int dim, double* x) {
  const double normal = x[0];
  const double tangential = tangential_norm(dim, x);
  if (normal >= 0 && tangential <= mu * normal) return;  // inside; mu = 0 needs the first condition
  if (mu * tangential <= -normal) {                      // in the polar cone: the apex is nearest
    std::fill(x, x + dim, 0.0);
    return;
  }
  // On the boundary ray: x_n = (n + mu |t|) / (1 + mu^2), x_t = mu x_n t/|t|
  x[0] = (normal + mu * tangential) / (1.0 + mu * mu);
  const double scale = mu * x[0] / tangential;
  for (int k = 1; k < dim; ++k) x[k] *= scale;
}

}  // namespace

void project(const Cone& cone, double* x) {
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
  }
}

double de_saxce_shift(const Cone& cone, const double* u) {
  return cone.kind == ConeKind::Coulomb ? cone.mu * tangential_norm(cone.dim, u) : 0.0;
}

void natural_map(const Cone& cone, const double* r, const double* u, double rho, double* out) {
  for (int k = 0; k < cone.dim; ++k) out[k] = r[k] - rho * u[k];
  out[0] -= rho * de_saxce_shift(cone, u);
  project(cone, out);
  for (int k = 0; k < cone.dim; ++k) out[k] = r[k] - out[k];
}

}  // namespace carom
