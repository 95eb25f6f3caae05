// Locating events inside a step of the LZB integration.
#pragma once

namespace carom {

// Violations below these slacks change outcomes by less than rounding does over an impact.
inline constexpr double kUSlack = 1e-13;        // of the impact's speed
inline constexpr double kXSlack = 1e-13;        // of a contact's natural length
inline constexpr double kSmallestStep = 1e-30;  // scaled time: whatever happens within is one event

// The cubic in s with values f0, f1 and slopes d0, d1 at s = 0 and 1.
struct LzbCubic {
  double f0 = 0, d0 = 0, f1 = 0, d1 = 0;

  double operator()(double s) const {
    const double r = 1 - s;
    return r * r * ((1 + 2 * s) * f0 + s * d0) + s * s * ((3 - 2 * s) * f1 - r * d1);
  }
  double integral(double from, double to) const {  // Simpson's rule is exact
    return (to - from) / 6 * ((*this)(from) + 4 * (*this)(0.5 * (from + to)) + (*this)(to));
  }
  double first_root() const {  // in (0, 1]; 1 when there is none
    constexpr int kParts = 16;
    double low = 0;
    for (int part = 1; part <= kParts; ++part) {
      double high = static_cast<double>(part) / kParts;
      if (((*this)(high) > 0) == (f0 > 0)) {
        low = high;
        continue;
      }
      for (int k = 0; k < 40; ++k) {
        const double middle = 0.5 * (low + high);
        (((*this)(middle) > 0) == (f0 > 0) ? low : high) = middle;
      }
      return high;
    }
    return 1;
  }
};

}  // namespace carom
