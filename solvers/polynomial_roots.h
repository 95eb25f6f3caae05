// Real roots of small polynomials, all of them: between two neighbouring roots of the derivative a
// polynomial is monotone and has at most one root, found there by bisection-safeguarded Newton.
#pragma once

#include <array>

namespace carom {

inline constexpr int kMaxDegree = 4;

// p(x) = c[0] + c[1] x + ... + c[degree] x^degree
using Polynomial = std::array<double, kMaxDegree + 1>;

struct RootList {
  std::array<double, 2 * kMaxDegree> root{};
  int count = 0;

  void add(double x) { root[static_cast<std::size_t>(count++)] = x; }
  const double* begin() const { return root.data(); }
  const double* end() const { return root.data() + count; }
};

// The roots in [low, high], increasing. Points where the derivative vanishes are listed as well when
// `touching` is set: there a double root may have been lost to rounding, and the caller judges them.
RootList real_roots(const Polynomial& c, int degree, double low, double high, bool touching = false);

}  // namespace carom
