#include "engine/impact/splitting.h"

#include <optional>

#include "engine/impact/condensation.h"
#include "engine/impact/newton.h"

namespace carom {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

struct StruckIsland {
  std::vector<int> contacts;
  std::vector<int> rigid;  // what joints hold, and motors that nothing stops
};

// Every island in which a contact approaches faster than the threshold.
std::vector<StruckIsland> struck_islands(const ContactStep& c, double threshold) {
  const Cones& cones = c.problem.cones;
  const auto island = c.islands.island_of_contact();
  const auto role = [&](int i) { return c.role.empty() ? BlockRole::Contact : c.role[at(i)]; };
  std::vector<int> number(at(c.islands.count()), -1);
  int count = 0;
  for (int i = 0; i < cones.count(); ++i) {
    int& n = number[at(island[at(i)])];
    if (n < 0 && role(i) == BlockRole::Contact && c.u_minus[cones.offset(i)] < -threshold) n = count++;
  }
  std::vector<StruckIsland> struck(at(count));
  for (int i = 0; i < cones.count(); ++i) {
    const int n = number[at(island[at(i)])];
    if (n < 0 || role(i) == BlockRole::Finite) continue;
    (role(i) == BlockRole::Contact ? struck[at(n)].contacts : struck[at(n)].rigid).push_back(i);
  }
  return struck;
}

// Applies the law to one island, writing p of its contacts and joints.
ImpactReport strike(ImpactLaw& law, const StruckIsland& island, ContactStep& c) {
  const Cones& cones = c.problem.cones;
  const std::vector<int>& rigid = island.rigid;
  std::vector<int> contacts = island.contacts;
  std::optional<JointCondensation> joints;
  if (!rigid.empty()) {
    joints.emplace(c.problem, contacts, rigid);
    // Contacts that joints do not let move are no part of the impact.
    std::vector<int> moving;
    for (std::size_t k = 0; k < contacts.size(); ++k)
      if (joints->yields(static_cast<int>(k))) moving.push_back(contacts[k]);
    if (moving.empty()) return {};
    if (moving.size() < contacts.size()) joints.emplace(c.problem, moving, rigid);
    contacts = moving;
  }
  ImpactProblem impact = impact_among(c.problem, c.law, c.support, c.u_minus, contacts);
  if (joints) impact.W = joints->condensed();

  VectorXd p;
  const ImpactReport report = law.apply(impact, p);
  if (!p.allFinite()) return report;
  for (int k = 0; k < impact.cones.count(); ++k)
    c.p.segment(cones.offset(contacts[at(k)]), impact.cones.dim(k)) =
        p.segment(impact.cones.offset(k), impact.cones.dim(k));
  if (!joints) return report;
  const VectorXd p_joints = joints->joint_impulses(p);
  int row = 0;
  for (int i : rigid) {
    c.p.segment(cones.offset(i), cones.dim(i)) = p_joints.segment(row, cones.dim(i));
    row += cones.dim(i);
  }
  return report;
}

}  // namespace

ImpactContact impact_contact(const PairLaw& law, bool support) {
  return {.restitution = law.restitution,
          .tangential_restitution = law.tangential_restitution,
          .stiffness = law.stiffness,
          .exponent = law.exponent,
          .support = support};
}

ImpactProblem impact_among(const ConeProblem& problem, std::span<const PairLaw> laws,
                           std::span<const std::uint8_t> support, VectorIn u_minus, std::span<const int> contacts) {
  ImpactProblem impact;
  impact.W = delassus_among(problem, contacts, impact.cones);
  for (int i : contacts) impact.contacts.push_back(impact_contact(laws[at(i)], support[at(i)] != 0));
  impact.u_minus.resize(impact.cones.rows());
  for (int k = 0; k < impact.cones.count(); ++k)
    impact.u_minus.segment(impact.cones.offset(k), impact.cones.dim(k)) =
        u_minus.segment(problem.cones.offset(contacts[at(k)]), impact.cones.dim(k));
  return impact;
}

void apply_impact_law(ImpactLaw* law, const StepOptions& options, ContactStep& c) {
  const Cones& cones = c.problem.cones;
  c.p.assign(cones.rows(), 0.0);
  c.impacts = c.failed_impacts = 0;

  if (law == nullptr) {
    // q += E u_minus
    apply_newton_law(c.law, cones, c.u_minus, c.problem.q);
  } else {
    for (const StruckIsland& island : struck_islands(c, options.impact_threshold)) {
      const ImpactReport report = strike(*law, island, c);
      ++c.impacts;
      if (!report.terminated) ++c.failed_impacts;
    }
  }
  // bonds move the apex of cones: p -= apex
  if (c.apex.size() > 0) c.p -= c.apex;
  if (c.impacts == 0 && c.apex.size() == 0) return;

  // q += W p
  c.q_before.resize(c.problem.q.size());
  c.q_before = c.problem.q;
  apply(c.problem.W, cones, c.p, c.q_before, c.problem.q, c.twists);
}

}  // namespace carom
