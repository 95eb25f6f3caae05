#include "engine/events/dormand_prince.h"

#include <algorithm>
#include <cmath>

namespace carom {

namespace {

constexpr double kNodes[7] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
constexpr double kStages[7][6] = {
    {},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
};
constexpr double kError[7] = {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
constexpr double kDense[7] = {-12715105075.0 / 11282082432,  0,
                              87487479700.0 / 32700410799,   -10690763975.0 / 1880347072,
                              701980252875.0 / 199316789632, -1453857185.0 / 822651844,
                              69997945.0 / 29380423};

}  // namespace

bool DormandPrince::step(const Rate& rate, double t, double h, VectorIn y) {
  t_ = t;
  h_ = h;
  begin_ = y;
  for (int i = 0; i < 7; ++i) {
    // y_i = y + h sum_j a_ij k_j; the last stage is the end of the step
    stage_ = y;
    for (int j = 0; j < i; ++j)
      if (kStages[i][j] != 0) stage_ += h * kStages[i][j] * k_[static_cast<std::size_t>(j)];
    VectorXd& k = k_[static_cast<std::size_t>(i)];
    k.resize(y.size());
    if (!rate(t + kNodes[i] * h, stage_, k)) return false;
  }
  end_ = stage_;

  const VectorXd difference = end_ - begin_;
  dense_[0] = difference;
  dense_[1] = h * k_[0] - difference;
  dense_[2] = difference - h * k_[6] - dense_[1];
  dense_[3].setZero(y.size());
  for (std::size_t i = 0; i < 7; ++i) dense_[3] += h * kDense[i] * k_[i];
  return true;
}

double DormandPrince::error(double absolute, double relative) const {
  double sum = 0;
  for (Eigen::Index c = 0; c < end_.size(); ++c) {
    double e = 0;
    for (std::size_t i = 0; i < 7; ++i) e += kError[i] * k_[i][c];
    e *= h_ / (absolute + relative * std::max(std::abs(begin_[c]), std::abs(end_[c])));
    sum += e * e;
  }
  return std::sqrt(sum / static_cast<double>(std::max<Eigen::Index>(1, end_.size())));
}

double DormandPrince::factor(double error) {
  return error > 0 ? std::clamp(0.9 * std::pow(error, -0.2), 0.2, 5.0) : 5.0;
}

void DormandPrince::at(double t, VectorXd& y) const {
  const double s = (t - t_) / h_, r = 1 - s;
  y = begin_ + s * (dense_[0] + r * (dense_[1] + s * (dense_[2] + r * dense_[3])));
}

}  // namespace carom
