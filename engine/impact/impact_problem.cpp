#include "engine/impact/impact_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace carom {

namespace {

void demand(bool holds, int contact, const char* problem, double value) {
  if (!holds) throw InputError({"", 0, 0, fmt::format("contact {}", contact)}, problem, fmt::format("{}", value));
}

void check_contact(const ImpactContact& c, int i) {
  demand(std::isfinite(c.restitution) && c.restitution >= 0, i, "restitution must be finite and >= 0", c.restitution);
  demand(std::abs(c.tangential_restitution) <= 1, i, "tangential_restitution must be in [-1, 1]",
         c.tangential_restitution);
  demand(std::isfinite(c.stiffness) && c.stiffness > 0, i, "stiffness must be finite and > 0", c.stiffness);
  demand(std::isfinite(c.exponent) && c.exponent >= 1, i, "exponent must be finite and >= 1", c.exponent);
  demand(std::isfinite(c.preload) && c.preload >= 0, i, "preload must be finite and >= 0", c.preload);
}

}  // namespace

void check_impact(const ImpactProblem& problem) {
  const int count = problem.cones.count();
  const auto sizes = [&](const char* what, std::ptrdiff_t found, std::ptrdiff_t wanted) {
    if (found != wanted)
      throw InputError({"", 0, 0, what}, fmt::format("must have {} entries", wanted), fmt::format("{}", found));
  };
  sizes("contacts", static_cast<std::ptrdiff_t>(problem.contacts.size()), count);
  sizes("u_minus", problem.u_minus.size(), problem.cones.rows());
  sizes("rows of W", static_cast<std::ptrdiff_t>(problem.W.first.size()) - 1, count);
  for (int i = 0; i < count; ++i) {
    const Cone& cone = problem.cones[i];
    const auto k = static_cast<std::size_t>(i);
    if (cone.kind != ConeKind::Orthant && cone.kind != ConeKind::Coulomb)
      throw InputError({"", 0, 0, fmt::format("contact {}", i)}, "impact laws take orthant and coulomb contacts",
                       std::string(name_of(cone.kind)));
    demand(std::isfinite(cone.mu) && cone.mu >= 0, i, "friction must be finite and >= 0", cone.mu);
    check_contact(problem.contacts[k], i);
    const double W_nn =
        problem.W.values[static_cast<std::size_t>(problem.W.start[static_cast<std::size_t>(problem.W.diagonal[k])])];
    demand(W_nn > 0, i, "W has no positive normal entry there: neither body can be moved", W_nn);
    for (int row = 0; row < cone.dim; ++row) {
      const double u = problem.u_minus[problem.cones.offset(i) + row];
      demand(std::isfinite(u), i, "velocity must be finite", u);
    }
  }
  for (double value : problem.W.values)
    if (!std::isfinite(value)) throw InputError({"", 0, 0, "W"}, "must be finite", fmt::format("{}", value));
}

double normal_entry(const BlockSparse& W, int i, int j) {
  const auto row = static_cast<std::size_t>(i);
  const auto begin = W.column.begin() + W.first[row], end = W.column.begin() + W.first[row + 1];
  const auto found = std::lower_bound(begin, end, j);
  if (found == end || *found != j) return 0;
  return W.values[static_cast<std::size_t>(W.start[static_cast<std::size_t>(found - W.column.begin())])];
}

VectorXd velocity_after(const ImpactProblem& problem, VectorIn p) {
  VectorXd u(problem.u_minus.size());
  apply(problem.W, problem.cones, p, problem.u_minus, u);
  return u;
}

double approach_speed(const ImpactProblem& problem) {
  double fastest = 0;
  for (int i = 0; i < problem.cones.count(); ++i)
    fastest = std::max(fastest, -problem.u_minus[problem.cones.offset(i)]);
  return fastest;
}

}  // namespace carom
