#include "engine/impact/splitting.h"

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
  for (int i = 0; i < cones.count(); ++i) {
    int& n = number[at(island[at(i)])];
    if (n < 0 && c.u_minus[cones.offset(i)] < -threshold) n = struck.count(), struck.first.push_back(0);
  }
  std::vector<std::vector<int>> contacts(at(struck.count()));
  for (int i = 0; i < cones.count(); ++i)
    if (const int n = number[at(island[at(i)])]; n >= 0) contacts[at(n)].push_back(i);
  for (std::size_t n = 0; n < contacts.size(); ++n) {
    struck.blocks.insert(struck.blocks.end(), contacts[n].begin(), contacts[n].end());
    struck.first[n + 1] = static_cast<int>(struck.blocks.size());
  }
  return struck;
}

// H and M^-1 of the listed blocks alone, bodies numbered anew.
DelassusFactors part_of(const DelassusFactors& all, const Cones& cones, std::span<const int> contacts) {
  DelassusFactors part;
  std::vector<int> bodies;
  for (int i : contacts)
    for (int body : all.bodies[at(i)])
      if (body >= 0) bodies.push_back(body);
  std::sort(bodies.begin(), bodies.end());
  bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
  for (int body : bodies) part.inverse_mass.push_back(all.inverse_mass[at(body)]);
  const auto renamed = [&](int body) {
    return body < 0 ? -1 : static_cast<int>(std::lower_bound(bodies.begin(), bodies.end(), body) - bodies.begin());
  };
  for (int i : contacts) {
    part.bodies.push_back({renamed(all.bodies[at(i)][0]), renamed(all.bodies[at(i)][1])});
    const auto rows = all.rows.begin() + cones.offset(i);
    part.rows.insert(part.rows.end(), rows, rows + cones.dim(i));
  }
  return part;
}

}  // namespace

ImpactContact impact_contact(const PairLaw& law) {
  return {.restitution = law.restitution,
          .tangential_restitution = law.tangential_restitution,
          .stiffness = law.stiffness,
          .exponent = law.exponent};
}

ImpactProblem impact_among(const ConeProblem& problem, std::span<const PairLaw> laws, VectorIn u_minus,
                           std::span<const int> contacts) {
  ImpactProblem impact;
  for (int i : contacts) {
    impact.cones.add(problem.cones[i]);
    impact.contacts.push_back(impact_contact(laws[at(i)]));
  }
  impact.u_minus.resize(impact.cones.rows());
  for (int k = 0; k < impact.cones.count(); ++k)
    impact.u_minus.segment(impact.cones.offset(k), impact.cones.dim(k)) =
        u_minus.segment(problem.cones.offset(contacts[at(k)]), impact.cones.dim(k));
  if (problem.W.factors) {
    impact.W = assemble(part_of(*problem.W.factors, problem.cones, contacts), impact.cones);
  } else {
    const Components one = {{0, static_cast<int>(contacts.size())}, {contacts.begin(), contacts.end()}};
    ConeProblem part;
    Vector unused;
    extract(*problem.W.assembled, u_minus, problem.cones, one, 0, u_minus, part, unused);
    impact.W = std::move(*part.W.assembled);
  }
  return impact;
}

void apply_impact_law(ImpactLaw* law, const StepOptions& options, ContactStep& c) {
  const Cones& cones = c.problem.cones;
  c.p.assign(cones.rows(), 0.0);
  c.impacts = c.failed_impacts = 0;

  // q += E u_minus
  if (law == nullptr) return apply_newton_law(c.law, cones, c.u_minus, c.problem.q);

  const Components struck = struck_islands(c, options.impact_threshold);
  VectorXd p_island;
  for (int n = 0; n < struck.count(); ++n) {
    const std::span<const int> contacts(struck.blocks.data() + struck.first[at(n)], at(struck.size(n)));
    const ImpactProblem impact = impact_among(c.problem, c.law, c.u_minus, contacts);
    const ImpactReport report = law->apply(impact, p_island);
    ++c.impacts;
    if (!report.terminated) ++c.failed_impacts;
    if (p_island.allFinite()) insert(cones, struck, n, p_island, c.p);
  }
  if (c.impacts == 0) return;

  // q += W p
  const VectorXd q = c.problem.q;
  apply(c.problem.W, cones, c.p, q, c.problem.q);
}

}  // namespace carom
