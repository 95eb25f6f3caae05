#include "solvers/polynomial_roots.h"

#include <algorithm>
#include <cmath>

namespace carom {

namespace {

double value(const Polynomial& c, int degree, double x) {
  double sum = c[static_cast<std::size_t>(degree)];
  for (int k = degree - 1; k >= 0; --k) sum = sum * x + c[static_cast<std::size_t>(k)];
  return sum;
}

Polynomial derivative(const Polynomial& c, int degree) {
  Polynomial d{};
  for (int k = 1; k <= degree; ++k) d[static_cast<std::size_t>(k - 1)] = k * c[static_cast<std::size_t>(k)];
  return d;
}

// The root of p in [low, high], over which it is monotone and changes sign.
double root_between(const Polynomial& c, const Polynomial& d, int degree, double low, double high) {
  const bool rising = value(c, degree, low) < 0;
  double x = 0.5 * (low + high);
  for (int iteration = 0; iteration < 200; ++iteration) {
    const double f = value(c, degree, x);
    if (f == 0) return x;
    ((f < 0) == rising ? low : high) = x;
    double next = x - f / value(d, degree - 1, x);
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (next == x || std::abs(next - x) <= 1e-16 * std::abs(x)) return next;
    x = next;
  }
  return x;
}

}  // namespace

RootList real_roots(const Polynomial& c, int degree, double low, double high, bool touching) {
  RootList roots;
  if (degree < 1 || !(low < high)) return roots;
  const Polynomial d = derivative(c, degree);
  const RootList turning = real_roots(d, degree - 1, low, high);
  double left = low;
  for (int k = 0; k <= turning.count; ++k) {
    const double right = k < turning.count ? turning.root[static_cast<std::size_t>(k)] : high;
    const double f_left = value(c, degree, left), f_right = value(c, degree, right);
    if (f_left == 0 && left == low) {
      roots.add(left);
    } else if ((f_left < 0 && f_right >= 0) || (f_left > 0 && f_right <= 0)) {
      roots.add(root_between(c, d, degree, left, right));
    }
    if (touching && k < turning.count) roots.add(right);
    left = right;
  }
  return roots;
}

}  // namespace carom
