#include "solvers/contact_function.h"

#include <algorithm>
#include <cmath>

namespace carom {

namespace {

void stick(int dim, BlockDerivative& d) {
  std::fill(d.A, d.A + dim * dim, 0.0);
  std::fill(d.B, d.B + dim * dim, 0.0);
  for (int k = 0; k < dim; ++k) d.B[k * dim + k] = 1;
  d.identity = true;
}

// x = r - rho u in polar parts: x_n, |x_t| and the direction x_t / |x_t| of `size` rows from `first` on.
struct Trial {
  double normal, tangential;
  double direction[2];
};
Trial trial_of(int first, int size, const double* r, const double* u, double rho) {
  double x[2] = {0, 0};
  for (int k = 0; k < size; ++k) x[k] = r[first + k] - rho * u[first + k];
  const double length = size == 1 ? std::abs(x[0]) : std::sqrt(x[0] * x[0] + x[1] * x[1]);
  if (!(length > 0)) return {r[0] - rho * u[0], 0, {1, 0}};
  return {r[0] - rho * u[0], length, {x[0] / length, x[1] / length}};
}

// F_t = (r_t - mu x_n e) / rho with e = x_t / |x_t|, for x_n > 0 and |x_t| > mu x_n
void slide(int dim, int first, int size, double mu, const Trial& trial, double rho, BlockDerivative& d) {
  const double turn = mu * trial.normal / trial.tangential;  // de = (1 - e e^T) dx_t / |x_t|
  d.identity = false;
  for (int k = 0; k < size; ++k) {
    const double e_k = trial.direction[k];
    const int row = (first + k) * dim;
    d.A[row] = -mu * e_k / rho;
    d.B[row] = mu * e_k;
    for (int l = 0; l < size; ++l) {
      const double across = turn * ((k == l ? 1.0 : 0.0) - e_k * trial.direction[l]);
      d.A[row + first + l] = ((k == l ? 1.0 : 0.0) - across) / rho;
      d.B[row + first + l] = across;
    }
  }
}

// Rows `first` to `first + size - 1` of a block that is not open: friction, or resistance to rolling.
void friction(int dim, int first, int size, double mu, const double* r, const double* u, double rho, double* F,
              BlockDerivative* d) {
  const Trial trial = trial_of(first, size, r, u, rho);
  const double radius = mu * trial.normal;
  if (trial.tangential <= radius) {
    for (int k = first; k < first + size; ++k) F[k] = u[k];
    return;
  }
  for (int k = 0; k < size; ++k) F[first + k] = (r[first + k] - radius * trial.direction[k]) / rho;
  if (d != nullptr) slide(dim, first, size, mu, trial, rho, *d);
}

// Coulomb and Rolling
void unilateral(const Cone& cone, const double* r, const double* u, double rho, double* F, BlockDerivative* d) {
  const int dim = cone.dim, tangents = cone.tangents();
  if (r[0] - rho * u[0] <= 0) {
    for (int k = 0; k < dim; ++k) F[k] = r[k] / rho;
    if (d != nullptr) d->open = true;
    return;
  }
  F[0] = u[0];
  if (d != nullptr) stick(dim, *d);
  friction(dim, 1, tangents, cone.mu, r, u, rho, F, d);
  if (cone.kind == ConeKind::Rolling) friction(dim, 1 + tangents, tangents, cone.mu_roll, r, u, rho, F, d);
}

// P_K on the boundary: P = (x . a) a / |a|^2 with the ray a = (1, mu e), and its derivative J
void associated(const Cone& cone, const double* r, const double* u, double rho, double* F, BlockDerivative* d) {
  const int dim = cone.dim;
  const double mu = cone.mu;
  const Trial trial = trial_of(1, dim - 1, r, u, rho);
  if (mu * trial.tangential <= -trial.normal) {
    for (int k = 0; k < dim; ++k) F[k] = r[k] / rho;
    if (d != nullptr) d->open = true;
    return;
  }
  if (trial.normal >= 0 && trial.tangential <= mu * trial.normal) {
    for (int k = 0; k < dim; ++k) F[k] = u[k];
    if (d != nullptr) stick(dim, *d);
    return;
  }
  const double height = (trial.normal + mu * trial.tangential) / (1 + mu * mu);  // P_n
  double ray[3] = {1, 0, 0};
  for (int k = 1; k < dim; ++k) ray[k] = mu * trial.direction[k - 1];
  for (int k = 0; k < dim; ++k) F[k] = (r[k] - height * ray[k]) / rho;
  if (d == nullptr) return;
  d->identity = false;
  // J = a a^T / |a|^2 + mu P_n (1 - e e^T) / |x_t| on the tangents;  A = (1 - J) / rho, B = J
  const double turn = mu * height / trial.tangential;
  for (int k = 0; k < dim; ++k) {
    for (int l = 0; l < dim; ++l) {
      double J = ray[k] * ray[l] / (1 + mu * mu);
      if (k > 0 && l > 0) J += turn * ((k == l ? 1.0 : 0.0) - trial.direction[k - 1] * trial.direction[l - 1]);
      d->A[k * dim + l] = ((k == l ? 1.0 : 0.0) - J) / rho;
      d->B[k * dim + l] = J;
    }
  }
}

void evaluate(const Cone& cone, const double* r, const double* u, double rho, double* F, BlockDerivative* d) {
  if (d != nullptr) d->open = d->identity = false;
  switch (cone.kind) {
    case ConeKind::Free:
      std::copy(u, u + cone.dim, F);
      if (d != nullptr) stick(cone.dim, *d);
      return;
    case ConeKind::Orthant: {
      const bool open = r[0] - rho * u[0] <= 0;
      F[0] = open ? r[0] / rho : u[0];
      if (d == nullptr) return;
      stick(1, *d);
      d->open = open;
      return;
    }
    case ConeKind::Coulomb:
    case ConeKind::Rolling:
      return unilateral(cone, r, u, rho, F, d);
    case ConeKind::Associated:
      return associated(cone, r, u, rho, F, d);
  }
}

}  // namespace

void contact_function(const Cone& cone, const double* r, const double* u, double rho, double* F) {
  evaluate(cone, r, u, rho, F, nullptr);
}

void contact_function(const Cone& cone, const double* r, const double* u, double rho, double* F,
                      BlockDerivative& derivative) {
  evaluate(cone, r, u, rho, F, &derivative);
}

}  // namespace carom
