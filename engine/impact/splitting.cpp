#include "engine/impact/splitting.h"

#include <optional>

#include "engine/impact/condensation.h"
#include "engine/impact/newton.h"
#include "solvers/components.h"

namespace carom {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// The contacts of every island in which one approaches faster than the threshold, islands one after the other.
Components struck_islands(const ContactStep& c, double threshold) {
  const Cones& cones = c.problem.cones;
  const auto island = c.islands.island_of_contact();
  std::vector<int> number(at(c.islands.count()), -1);
  Components struck;
  const auto is_contact = [&](int i) { return c.role.empty() || c.role[at(i)] == BlockRole::Contact; };
  for (int i = 0; i < cones.count(); ++i) {
    int& n = number[at(island[at(i)])];
    if (n < 0 && is_contact(i) && c.u_minus[cones.offset(i)] < -threshold)
      n = struck.count(), struck.first.push_back(0);
  }
  std::vector<std::vector<int>> contacts(at(struck.count()));
  for (int i = 0; i < cones.count(); ++i)
    if (const int n = number[at(island[at(i)])]; n >= 0 && is_contact(i)) contacts[at(n)].push_back(i);
  for (std::size_t n = 0; n < contacts.size(); ++n) {
    struck.blocks.insert(struck.blocks.end(), contacts[n].begin(), contacts[n].end());
    struck.first[n + 1] = static_cast<int>(struck.blocks.size());
  }
  return struck;
}

// What the joints of an island hold, and motors that nothing stops.
std::vector<int> rigid_blocks(const ContactStep& c, int island) {
  std::vector<int> rigid;
  for (std::size_t i = 0; i < c.role.size(); ++i)
    if (c.role[i] == BlockRole::Rigid && c.islands.island_of_contact()[i] == island)
      rigid.push_back(static_cast<int>(i));
  return rigid;
}

// Applies the law to one island, writing p of its contacts and joints.
ImpactReport strike(ImpactLaw& law, std::span<const int> island_contacts, ContactStep& c) {
  const Cones& cones = c.problem.cones;
  const std::vector<int> rigid = rigid_blocks(c, c.islands.island_of_contact()[at(island_contacts[0])]);
  std::vector<int> contacts(island_contacts.begin(), island_contacts.end());
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
    const Components struck = struck_islands(c, options.impact_threshold);
    for (int n = 0; n < struck.count(); ++n) {
      const ImpactReport report =
          strike(*law, std::span(struck.blocks).subspan(at(struck.first[at(n)]), at(struck.size(n))), c);
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
