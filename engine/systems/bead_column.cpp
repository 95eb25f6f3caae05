#include "engine/systems/bead_column.h"

#include <cmath>

namespace carom {

namespace {

BallChainParameters chain_of(const BeadColumnParameters& p) {
  check_parameters(BeadColumn::kName, p);
  const auto beads = static_cast<std::size_t>(p.beads);
  BallChainParameters chain;
  chain.balls = p.beads;
  chain.mass = {p.mass};
  chain.radius = {p.radius};
  chain.gap.assign(beads, 0.0);
  if (p.falling) chain.gap[0] = p.fall;
  chain.velocity.assign(beads, p.falling ? 0.0 : -std::sqrt(2 * p.gravity * p.fall));
  chain.restitution = {p.restitution};
  chain.stiffness = {hertz_stiffness(p.modulus, p.poisson, p.radius, p.modulus, p.poisson, p.radius)};
  chain.left_wall = true;
  chain.wall_restitution = {p.wall_restitution};
  const double flat = std::numeric_limits<double>::infinity();
  chain.wall_stiffness = {p.wall_stiffness > 0
                              ? p.wall_stiffness
                              : hertz_stiffness(p.modulus, p.poisson, p.radius, p.wall_modulus, p.wall_poisson, flat)};
  chain.gravity = p.gravity;
  return chain;
}

}  // namespace

double hertz_stiffness(double modulus_1, double poisson_1, double radius_1, double modulus_2, double poisson_2,
                       double radius_2) {
  const double modulus = 1 / ((1 - poisson_1 * poisson_1) / modulus_1 + (1 - poisson_2 * poisson_2) / modulus_2);
  const double radius = 1 / (1 / radius_1 + 1 / radius_2);
  return 4.0 / 3.0 * modulus * std::sqrt(radius);
}

BeadColumn::BeadColumn(const BeadColumnParameters& parameters) : BallChain(chain_of(parameters)) {}

}  // namespace carom
