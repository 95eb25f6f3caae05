// A column of equal beads that falls on a wall, [LZB section 9; Falcon et al. 1998]: the upright ball chain with
// Hertz's stiffnesses from moduli,
//
//     K = 4/3 E* sqrt(R*),   1/E* = (1 - nu_1^2)/E_1 + (1 - nu_2^2)/E_2,   1/R* = 1/R_1 + 1/R_2.
#pragma once

#include "engine/systems/ball_chain.h"

namespace carom {

// Hertz's stiffness of two elastic balls, N/m^1.5; an infinite radius is a flat wall.
double hertz_stiffness(double modulus_1, double poisson_1, double radius_1, double modulus_2, double poisson_2,
                       double radius_2);

struct BeadColumnParameters {
  int beads = 5;
  double mass = 2.05e-3;           // kg, > 0
  double radius = 4e-3;            // m, > 0
  double modulus = 21.6e10;        // Pa, > 0: E of the beads
  double poisson = 0.276;          // in [-1, 0.5]: nu of the beads
  double wall_modulus = 21.6e10;   // Pa, > 0
  double wall_poisson = 0.276;     // in [-1, 0.5]
  double wall_stiffness = 0;       // N/m^1.5, >= 0: instead of the one from the moduli unless 0
  double restitution = 0.96;       // >= 0: between beads
  double wall_restitution = 0.92;  // >= 0
  double fall = 3.1e-3;            // m, >= 0: height of fall
  bool falling = false;            // start at rest at that height; else at the moment of impact
  double gravity = kStandardGravity;

  template <class Self, class Visitor>
  static void visit(Self& p, Visitor&& visit) {
    constexpr OptionRange kPoisson = {-1, 0.5};
    visit("beads", p.beads, OptionRange{1, 1e6}, "", "how many");
    visit("mass", p.mass, kPositive, "kg", "of a bead");
    visit("radius", p.radius, kPositive, "m", "of a bead");
    visit("modulus", p.modulus, kPositive, "Pa", "Young's, of the beads");
    visit("poisson", p.poisson, kPoisson, "", "Poisson's ratio of the beads");
    visit("wall_modulus", p.wall_modulus, kPositive, "Pa", "Young's, of the wall");
    visit("wall_poisson", p.wall_poisson, kPoisson, "", "Poisson's ratio of the wall");
    visit("wall_stiffness", p.wall_stiffness, kNotNegative, "N/m^1.5", "instead of the one from moduli, unless 0");
    visit("restitution", p.restitution, kNotNegative, "", "between beads");
    visit("wall_restitution", p.wall_restitution, kNotNegative, "", "bead on wall");
    visit("fall", p.fall, kNotNegative, "m", "height of the fall");
    visit("falling", p.falling, OptionRange{}, "", "start at rest at that height, not at the moment of impact");
    visit("gravity", p.gravity, kNotNegative, "m/s^2", "towards the wall");
  }
};

class BeadColumn : public BallChain {
 public:
  using Parameters = BeadColumnParameters;
  static constexpr std::string_view kName = "bead_column";
  static constexpr std::string_view kSummary = "a column of elastic beads that falls on a wall, Hertz's stiffnesses";

  explicit BeadColumn(const BeadColumnParameters& parameters = {});
  std::string_view name() const override { return kName; }
};

}  // namespace carom
