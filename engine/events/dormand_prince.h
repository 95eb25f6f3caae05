// The Runge-Kutta pair of Dormand and Prince, orders 5 and 4, with the continuous output of order 4 of Hairer, Norsett
// & Wanner (Solving Ordinary Differential Equations I, II.5-6): one step at a time, so that events can be looked for.
#pragma once

#include <array>
#include <functional>

#include "base/types.h"

namespace carom {

class DormandPrince {
 public:
  // dy/dt; false where it cannot be evaluated.
  using Rate = std::function<bool(double t, VectorIn y, VectorOut dy)>;

  // The step from (t, y) to t + h. False when the rate could not be evaluated somewhere in it.
  bool step(const Rate& rate, double t, double h, VectorIn y);

  // rms over components of error / (absolute + relative max(|y|, |y_end|)): the step is good where this is <= 1.
  double error(double absolute, double relative) const;

  // What the error suggests for the length of the next try: h (0.9 error^(-1/5)), within [1/5, 5] of h.
  static double factor(double error);

  double start() const { return t_; }
  double length() const { return h_; }
  const VectorXd& end() const { return end_; }
  void at(double t, VectorXd& y) const;  // continuous output, start() <= t <= start() + length()

 private:
  double t_ = 0, h_ = 0;
  VectorXd begin_, end_, stage_;
  std::array<VectorXd, 7> k_;
  std::array<VectorXd, 4> dense_;
};

}  // namespace carom
