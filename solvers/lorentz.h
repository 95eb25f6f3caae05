// The algebra of Lorentz cones L = {x : |x_t| <= x_0} in 1, 2 and 3 dimensions (in one: x >= 0), as an interior-point
// method needs it (Alizadeh & Goldfarb 2003; Vandenberghe 2010):
//
//     x o y = (x . y, x_0 y_t + y_0 x_t),     det x = x_0^2 - |x_t|^2,     e = (1, 0, 0)
//
// Nesterov-Todd scaling of a pair z, y inside L: the symmetric P with P^-1 z = P y = lambda,
//
//     P = eta (2 w w^T - J)^(1/2),   eta^2 = sqrt(det z / det y),   w the scaling point,   J = diag(1, -1, -1)
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom::lorentz {

inline double tail_square(int n, const double* x) {
  double sum = 0;
  for (int k = 1; k < n; ++k) sum += x[k] * x[k];
  return sum;
}

// x_0^2 - |x_t|^2 without cancellation near the boundary
inline double determinant(int n, const double* x) {
  const double tail = std::sqrt(tail_square(n, x));
  return (x[0] - tail) * (x[0] + tail);
}

inline double dot(int n, const double* x, const double* y) {
  double sum = 0;
  for (int k = 0; k < n; ++k) sum += x[k] * y[k];
  return sum;
}

// out = x o y
inline void product(int n, const double* x, const double* y, double* out) {
  const double head = dot(n, x, y);
  for (int k = 1; k < n; ++k) out[k] = x[0] * y[k] + y[0] * x[k];
  out[0] = head;
}

// out with x o out = b, for x inside L
inline void divide(int n, const double* x, const double* b, double* out) {
  double head = x[0] * b[0];
  for (int k = 1; k < n; ++k) head -= x[k] * b[k];
  head /= n == 1 ? x[0] * x[0] : determinant(n, x);
  for (int k = 1; k < n; ++k) out[k] = (b[k] - head * x[k]) / x[0];
  out[0] = head;
}

// The largest t >= 0 with x + t dx in L; infinity when there is none.
inline double longest_step(int n, const double* x, const double* dx) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (n == 1) return dx[0] < 0 ? -x[0] / dx[0] : kInfinity;
  // det(x + t dx) = c + 2 b t + a t^2, first positive root; beyond x_0 + t dx_0 = 0 lies the other nappe
  const double a = dx[0] * dx[0] - tail_square(n, dx);
  double b = x[0] * dx[0];
  for (int k = 1; k < n; ++k) b -= x[k] * dx[k];
  const double c = determinant(n, x);
  double t = dx[0] < 0 ? -x[0] / dx[0] : kInfinity;
  const double discriminant = b * b - a * c;
  if (discriminant < 0) return t;
  const double root = std::sqrt(discriminant);
  for (const double candidate : {c / (-b + root), c / (-b - root)}) {
    if (candidate > 0) t = std::min(t, candidate);
  }
  return t;
}

// P and P^-1 of one pair.
struct Scaling {
  double forward[9];   // P, n x n
  double backward[9];  // P^-1
};

inline void set_scaling(int n, const double* z, const double* y, Scaling& scaling) {
  constexpr double kTiny = 1e-300;
  if (n == 1) {
    scaling.forward[0] = std::sqrt(z[0] / y[0]);
    scaling.backward[0] = 1 / scaling.forward[0];
    return;
  }
  const double norm_z = std::sqrt(std::max(determinant(n, z), kTiny));
  const double norm_y = std::sqrt(std::max(determinant(n, y), kTiny));
  // w = (z/|z| + J y/|y|) / (2 gamma)
  const double gamma = std::sqrt(0.5 * (1 + dot(n, z, y) / (norm_z * norm_y)));
  double w[3] = {0, 0, 0};
  for (int k = 0; k < n; ++k) w[k] = (z[k] / norm_z + (k == 0 ? y[k] : -y[k]) / norm_y) / (2 * gamma);
  const double eta = std::sqrt(norm_z / norm_y);
  for (int k = 0; k < n; ++k) {
    for (int l = 0; l < n; ++l) {
      double entry = 0;
      if (k == 0 || l == 0)
        entry = w[k + l];
      else
        entry = (k == l ? 1.0 : 0.0) + w[k] * w[l] / (1 + w[0]);
      scaling.forward[k * n + l] = eta * entry;
      scaling.backward[k * n + l] = ((k == 0) != (l == 0) ? -entry : entry) / eta;
    }
  }
}

}  // namespace carom::lorentz
