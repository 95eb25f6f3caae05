#include "engine/impact/lzb_state.h"

#include <algorithm>

#include "engine/impact/lzb_events.h"

namespace carom {

namespace {

double normal_diagonal(const ImpactProblem& problem, int i) {
  return problem.W.values[problem.W.start[problem.W.diagonal[i]]];
}

// The contact that approaches fastest.
int struck_contact(const ImpactProblem& problem) {
  int fastest = 0;
  for (int i = 1; i < problem.cones.count(); ++i)
    if (problem.u_minus[problem.cones.offset(i)] < problem.u_minus[problem.cones.offset(fastest)]) fastest = i;
  return fastest;
}

LzbScales make_scales(const ImpactProblem& problem, int fastest) {
  const ImpactContact& contact = problem.contacts[fastest];
  LzbScales scales;
  scales.velocity = -problem.u_minus[problem.cones.offset(fastest)];
  scales.impulse = scales.velocity / normal_diagonal(problem, fastest);
  // K l^(eta+1) = m v^2
  scales.length = std::pow(scales.energy() / contact.stiffness, 1 / (contact.exponent + 1));
  scales.time = scales.length / scales.velocity;
  return scales;
}

LzbSpring make_spring(const ImpactContact& contact, const ImpactContact& struck, double W_nn, const LzbScales& scales,
                      double least_restitution, double quiet) {
  LzbSpring spring;
  spring.exponent = contact.exponent;
  // K l^eta / (K_s l^eta_s), the latter being the unit of force: no common factor of stiffnesses is left in it.
  spring.stiffness = contact.stiffness / struck.stiffness * std::pow(scales.length, contact.exponent - struck.exponent);
  spring.W_nn = W_nn * scales.impulse / scales.velocity;
  spring.natural_length = std::pow(spring.W_nn * spring.stiffness, -1 / (contact.exponent + 1));
  const double e = std::max(contact.restitution, least_restitution);
  spring.e_squared = e * e;
  spring.static_force = contact.preload / scales.force();
  spring.static_x = std::pow(spring.static_force / spring.stiffness, 1 / contact.exponent);
  // What an impact at the quiet speed indents; next to a preload the spring is linear.
  spring.quiet_x =
      spring.natural_length * (spring.static_force > 0 ? quiet : std::pow(quiet, 2 / (contact.exponent + 1)));
  spring.u_slack =
      kUSlack * std::max(e, least_restitution > 0 ? 0.0 : 1.0);  // expansion at e lives on speeds of order e
  spring.turns_matter = spring.e_squared < 1 || spring.static_force > 0;
  return spring;
}

}  // namespace

double mono_release(const LzbContact& contact) {
  const LzbSpring& spring = contact.spring;
  if (spring.e_squared == 0) return contact.x;  // at once, whatever rounding says of the work absorbed
  const double left = (1 - spring.e_squared) * contact.absorbed * (spring.exponent + 1) / spring.stiffness;
  return left > 0 ? std::pow(left, 1 / (spring.exponent + 1)) : 0.0;
}

void start_state(const ImpactProblem& problem, LzbModel model, double least_restitution, double quiet,
                 LzbState& state) {
  state.problem = &problem;
  state.model = model;
  state.quiet = quiet;
  const int struck = struck_contact(problem);
  state.scales = make_scales(problem, struck);
  state.u = problem.u_minus / state.scales.velocity;
  state.p.assign(problem.u_minus.size(), 0.0);
  state.time = state.imbalance = 0;
  state.substeps = state.work = 0;
  state.compressions = state.softened = 0;
  state.chatter_speed = 0;
  state.contacts.resize(problem.contacts.size());
  for (int i = 0; i < problem.cones.count(); ++i) {
    LzbContact& contact = state.contacts[i];
    contact = {};
    // The mono-stiffness model needs no floor under e: it releases at once where e = 0.
    contact.spring = make_spring(problem.contacts[i], problem.contacts[struck], normal_diagonal(problem, i),
                                 state.scales, model == LzbModel::BiStiffness ? least_restitution : 0.0, quiet);
    contact.x = contact.spring.static_x;
    contact.absorbed = contact.spring.energy(contact.x);
    const double u_n = state.u[problem.cones.offset(i)];
    if (u_n < -quiet || (u_n <= quiet && contact.x > 0)) contact.phase = LzbPhase::Compression;
    if (u_n > quiet && contact.x > 0) {
      contact.phase = LzbPhase::Expansion;
      contact.release = model == LzbModel::BiStiffness ? 0.0 : mono_release(contact);
    }
  }
}

void soften(LzbContact& contact, double factor) {
  LzbSpring& spring = contact.spring;
  const double longer = std::pow(factor, 1 / (spring.exponent + 1));
  spring.stiffness /= factor;
  for (double* length : {&spring.natural_length, &spring.quiet_x, &contact.x, &contact.release}) *length *= longer;
}

void add_impulse(LzbState& state, int contact, const double* dp) {
  const ImpactProblem& problem = *state.problem;
  const BlockSparse& W = problem.W;
  const double scale = state.scales.impulse / state.scales.velocity;
  const int dim = problem.cones.dim(contact);
  for (int e = W.first[contact]; e < W.first[contact + 1]; ++e) {
    const int j = W.column[e];
    const int columns = problem.cones.dim(j);
    const double* block = W.values.data() + W.start[e];
    double* u = state.u.data() + problem.cones.offset(j);
    // u_j += W_ji dp_i with W_ji = W_ij^T
    for (int k = 0; k < dim; ++k)
      for (int l = 0; l < columns; ++l) u[l] += scale * block[k * columns + l] * dp[k];
  }
}

}  // namespace carom
