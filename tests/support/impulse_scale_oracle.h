// Liu, Zhao and Brogliato's own algorithm for frictionless impacts, written plainly: the impulse of the contact that
// holds most energy is the independent variable, and every other impulse follows from energies,
//
//     dP_i/dP_j = (K_i/K_j)^(1/(eta+1)) (E_i/E_j)^(eta/(eta+1)),     u = u_minus + W P
//     dE_i = -u_i dP_i  in compression,     dE_i = -u_i dP_i / e_i^2  in expansion, until E_i = 0
//
// Second order in the step, dense, without error control: an oracle for engine/impact/lzb.cpp that shares nothing with
// it. All contacts have one eta. The rule is singular where E_i = 0: a contact that begins to be pressed gets the
// energy of its first indentation, -u_i dt, dt being the time that the step takes the contact j.
#pragma once

#include <cmath>
#include <vector>

#include "engine/impact/impact_problem.h"

namespace carom {

class ImpulseScaleOracle {
 public:
  explicit ImpulseScaleOracle(const ImpactProblem& problem) : problem_(problem), n_(problem.cones.count()) {
    W_.resize(n_, n_);
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < n_; ++j) W_(i, j) = normal_entry(problem.W, i, j);
    eta_ = problem.contacts.front().exponent;
  }

  // Impulses after the impact; `step` is the primary contact's impulse per step. Empty when it does not end.
  VectorXd run(double step, long most_steps = 20000000) const {
    VectorXd P = VectorXd::Zero(n_), E = VectorXd::Zero(n_), u = problem_.u_minus;
    for (long k = 0; k < most_steps; ++k) {
      const int primary = primary_contact(E, u);
      if (primary < 0) return P;
      seed(primary, step, u, E);
      // Midpoint rule.
      const VectorXd share = shares(primary, E, u);
      const VectorXd E_middle = (E + 0.5 * step * energy_rates(share, u)).cwiseMax(0.0);
      const VectorXd u_middle = u + 0.5 * step * W_ * share;
      const VectorXd share_middle = shares(primary, E_middle[primary] > 0 ? E_middle : E, u_middle);
      E = (E + step * energy_rates(share_middle, u_middle)).cwiseMax(0.0);
      P += step * share_middle;
      u = problem_.u_minus + W_ * P;
    }
    return {};
  }

 private:
  double stiffness(int i) const { return problem_.contacts[static_cast<std::size_t>(i)].stiffness; }

  // The one with most energy; else the one that approaches fastest; -1 when the impact is over.
  int primary_contact(const VectorXd& E, const VectorXd& u) const {
    int best = 0;
    if (E.maxCoeff(&best) > 0) return best;
    return u.minCoeff(&best) < -1e-9 ? best : -1;
  }

  double depth(int i, double E) const { return std::pow((eta_ + 1) * E / stiffness(i), 1 / (eta_ + 1)); }

  void seed(int primary, double step, const VectorXd& u, VectorXd& E) const {
    if (E[primary] <= 0) E[primary] = -0.5 * u[primary] * step;
    const double x = depth(primary, E[primary]);
    const double dt = step / (stiffness(primary) * std::pow(x, eta_));
    for (int i = 0; i < n_; ++i)
      if (E[i] <= 0 && u[i] < 0) E[i] = stiffness(i) * std::pow(-u[i] * dt, eta_ + 1) / (eta_ + 1);
  }

  VectorXd shares(int primary, const VectorXd& E, const VectorXd& u) const {
    VectorXd share = VectorXd::Zero(n_);
    for (int i = 0; i < n_; ++i)
      if (E[i] > 0 || u[i] < 0)
        share[i] = std::pow(stiffness(i) / stiffness(primary), 1 / (eta_ + 1)) *
                   std::pow(E[i] / E[primary], eta_ / (eta_ + 1));
    return share;
  }

  VectorXd energy_rates(const VectorXd& share, const VectorXd& u) const {
    VectorXd rate(n_);
    for (int i = 0; i < n_; ++i) {
      const double e = problem_.contacts[static_cast<std::size_t>(i)].restitution;
      rate[i] = -u[i] * share[i] / (u[i] > 0 ? e * e : 1.0);
    }
    return rate;
  }

  const ImpactProblem& problem_;
  int n_;
  MatrixXd W_;
  double eta_ = 1;
};

}  // namespace carom
