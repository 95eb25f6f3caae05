#include "engine/impact/binary.h"

#include <fmt/format.h>

#include <cmath>

#include "solvers/one_contact.h"

namespace carom {

namespace {

std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

constexpr double kUncoupled = 1e-12;  // of the block's largest entry

// A collision at contact i alone cannot gain energy.
bool keeps_energy(const ImpactProblem& problem, int i) {
  const Cone& cone = problem.cones[i];
  const ImpactContact& contact = problem.contacts[at(i)];
  const double e_t = contact.tangential_restitution;
  if (cone.kind == ConeKind::Orthant || cone.mu == 0 || e_t == 1 || e_t == contact.restitution) return true;
  const double* block = problem.W.values.data() + problem.W.start[at(problem.W.diagonal[at(i)])];
  double coupling = 0, largest = 0;
  for (int k = 0; k < cone.dim * cone.dim; ++k) largest = std::max(largest, std::abs(block[k]));
  for (int k = 1; k < cone.dim; ++k) coupling = std::max(coupling, std::abs(block[k]));
  return coupling <= kUncoupled * largest;
}

bool is_coupled(const BlockSparse& W) { return W.column.size() > W.diagonal.size(); }

}  // namespace

std::string_view name_of(CollisionOrder order) {
  switch (order) {
    case CollisionOrder::FastestApproach:
      return "fastest_approach";
    case CollisionOrder::FirstIndex:
      return "first_index";
    case CollisionOrder::LastIndex:
      return "last_index";
    case CollisionOrder::Cyclic:
      return "cyclic";
    case CollisionOrder::WallFirst:
      return "wall_first";
    case CollisionOrder::WallLast:
      return "wall_last";
  }
  return "unknown";
}

ImpactReport BinaryLaw::apply(const ImpactProblem& problem, VectorXd& p) {
  ImpactReport report;
  if (!begin(problem, kMostRestitution, p, report)) return report;
  for (int i = 0; i < problem.cones.count() && report.admissible; ++i) report.admissible = keeps_energy(problem, i);
  if (!report.admissible) add_remark(report, "energy can grow: friction with e_t neither 1 nor equal to e_n");
  report.uniqueness = is_coupled(problem.W) ? Uniqueness::NotKnown : Uniqueness::Unique;

  u_ = problem.u_minus;
  const double rest = options_.rest * approach_speed(problem);
  for (int i = next_contact(problem, rest, -1); i >= 0; i = next_contact(problem, rest, i)) {
    if (report.events == options_.max_events) {
      report.status = ImpactStatus::EventLimit;
      add_remark(report, fmt::format("stopped after {} collisions; contact {} still approaches at {:.3g} m/s",
                                     report.events, i, -u_[problem.cones.offset(i)]));
      break;
    }
    collide(problem, i, p);
    show(++report.events, u_, p);
    if (!u_.allFinite()) break;
  }
  end(problem, p, report);
  return report;
}

int BinaryLaw::next_contact(const ImpactProblem& problem, double rest, int last) const {
  const Cones& cones = problem.cones;
  const int count = cones.count();
  const auto approaches = [&](int i) { return u_[cones.offset(i)] < -rest; };
  switch (options_.order) {
    case CollisionOrder::FirstIndex:
      for (int i = 0; i < count; ++i)
        if (approaches(i)) return i;
      return -1;
    case CollisionOrder::LastIndex:
      for (int i = count - 1; i >= 0; --i)
        if (approaches(i)) return i;
      return -1;
    case CollisionOrder::Cyclic:
      for (int k = 1; k <= count; ++k)
        if (const int i = (last + k) % count; approaches(i)) return i;
      return -1;
    case CollisionOrder::FastestApproach:
    case CollisionOrder::WallFirst:
    case CollisionOrder::WallLast:
      break;
  }
  int chosen = -1;
  const auto preferred = [&](int i) {
    if (options_.order == CollisionOrder::FastestApproach) return true;
    return problem.contacts[at(i)].support == (options_.order == CollisionOrder::WallFirst);
  };
  for (int i = 0; i < count; ++i) {
    if (!approaches(i)) continue;
    if (chosen >= 0 && preferred(chosen) && !preferred(i)) continue;
    if (chosen < 0 || (preferred(i) && !preferred(chosen)) || u_[cones.offset(i)] < u_[cones.offset(chosen)])
      chosen = i;
  }
  return chosen;
}

// Newton's law at contact i alone, then u_j += W_ji p_i; W is symmetric, so row i holds what is needed.
void BinaryLaw::collide(const ImpactProblem& problem, int i, VectorXd& p) {
  const Cones& cones = problem.cones;
  const BlockSparse& W = problem.W;
  const ImpactContact& contact = problem.contacts[at(i)];
  const int offset = cones.offset(i), dim = cones.dim(i);
  double q[3] = {}, r[3] = {};
  for (int k = 0; k < dim; ++k)
    q[k] = (1 + (k == 0 ? contact.restitution : contact.tangential_restitution)) * u_[offset + k];
  solve_block(cones[i], W.values.data() + W.start[at(W.diagonal[at(i)])], q, r);
  for (int k = 0; k < dim; ++k) p[offset + k] += r[k];
  for (int e = W.first[at(i)]; e < W.first[at(i) + 1]; ++e) {
    const int j = W.column[at(e)];
    const double* block = W.values.data() + W.start[at(e)];
    for (int k = 0; k < dim; ++k)
      for (int l = 0; l < cones.dim(j); ++l) u_[cones.offset(j) + l] += block[k * cones.dim(j) + l] * r[k];
  }
}

}  // namespace carom
