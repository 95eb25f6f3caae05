// Balls in a row that move along one line, with or without a wall at either end; upright where gravity pulls towards
// the left wall, which is then the floor. Coordinates x1, x2, ... of the centres, increasing from left to right.
//
// Contacts in order: "left wall", "1-2", "2-3", ..., "right wall". M and W are sparse: a chain of n balls costs O(n).
#pragma once

#include "engine/systems/parameters.h"

namespace carom {

// Lists hold one value for all balls or contacts, or one each; contacts count the walls that are there.
struct BallChainParameters {
  int balls = 3;
  std::vector<double> mass = {1};         // kg, > 0
  std::vector<double> radius = {0.05};    // m, >= 0
  std::vector<double> gap = {0};          // m, >= 0: at the start
  std::vector<double> velocity = {1};     // m/s: of the first balls at the start; the others are at rest
  std::vector<double> restitution = {1};  // >= 0
  std::vector<double> stiffness = {1};    // N/m^exponent, > 0
  std::vector<double> exponent = {1.5};   // >= 1
  bool left_wall = false;
  bool right_wall = false;
  std::vector<double> wall_restitution = {};  // >= 0: of both walls or left and right; empty: as the other contacts
  std::vector<double> wall_stiffness = {};    // N/m^exponent, > 0: likewise
  double gravity = 0;                         // m/s^2, >= 0: along -x, towards the left wall

  template <class Self, class Visitor>
  static void visit(Self& p, Visitor&& visit) {
    visit("balls", p.balls, OptionRange{1, 1e7}, "", "how many");
    visit("mass", p.mass, kPositive, "kg", "of each ball");
    visit("radius", p.radius, kNotNegative, "m", "of each ball");
    visit("gap", p.gap, kNotNegative, "m", "at each contact at the start, walls included");
    visit("velocity", p.velocity, kFinite, "m/s", "of the first balls at the start; those not listed are at rest");
    visit("restitution", p.restitution, kNotNegative, "", "of each contact");
    visit("stiffness", p.stiffness, kPositive, "N/m^exponent", "of each contact, for lzb");
    visit("exponent", p.exponent, kExponent, "", "of each contact's force law, for lzb: 1 linear, 1.5 Hertz");
    visit("left_wall", p.left_wall, OptionRange{}, "", "a wall, or the floor where there is gravity");
    visit("right_wall", p.right_wall, OptionRange{}, "", "a wall at the other end");
    visit("wall_restitution", p.wall_restitution, kNotNegative, "", "of the walls; empty: as the other contacts");
    visit("wall_stiffness", p.wall_stiffness, kPositive, "N/m^exponent", "of the walls; empty: as the other contacts");
    visit("gravity", p.gravity, kNotNegative, "m/s^2", "towards the left wall");
  }
};

class BallChain : public LagrangianSystem {
 public:
  using Parameters = BallChainParameters;
  static constexpr std::string_view kName = "ball_chain";
  static constexpr std::string_view kSummary = "aligned balls with or without walls, horizontal or upright";

  explicit BallChain(const BallChainParameters& parameters = {});

  std::string_view name() const override { return kName; }
  int coordinates() const override { return static_cast<int>(mass_.size()); }
  int contacts() const override { return static_cast<int>(laws_.size()); }
  std::string coordinate_name(int i) const override;
  std::string contact_name(int i) const override;
  PairLaw contact_law(int i) const override { return laws_.at(static_cast<std::size_t>(i)); }
  int contact_dim(int) const override { return 1; }
  LagrangianState initial_state() const override { return start_; }

  void mass_matrix(VectorIn q, SparseMatrix& M) const override;
  void force(double t, VectorIn q, VectorIn v, VectorOut F) const override;
  double potential_energy(double t, VectorIn q) const override;
  void gaps(double t, VectorIn q, VectorOut g) const override;
  void contact_rows(double t, VectorIn q, int i, ContactRows& rows) const override;
  std::array<double, 3> contact_bias(double, VectorIn, VectorIn, int) const override { return {}; }
  std::vector<double> body_energies(VectorIn q, VectorIn v) const override;

 private:
  // The ball to the left of contact i, -1 for the left wall; the ball to its right is the next one, if any.
  int ball_before(int i) const { return i - (left_wall_ ? 1 : 0); }
  void set_laws(const BallChainParameters& parameters, std::size_t contacts);

  VectorXd mass_, radius_;
  std::vector<PairLaw> laws_;  // per contact
  bool left_wall_ = false;
  double right_wall_at_ = 0;  // m
  double gravity_ = 0;
  LagrangianState start_;
};

}  // namespace carom
