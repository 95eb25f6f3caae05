// Bernoulli's problem: a ball runs into two others that it touches at the same moment, at angles +-alpha from its path.
// Balls 1 (above) and 3 (below) are struck by ball 2, which comes along +x. In the plane: x, y and the angle of each
// ball, which friction turns.
//
// Contacts: "1-2", "2-3", "1-3".
#pragma once

#include "engine/systems/parameters.h"

namespace carom {

struct BernoulliBallsParameters {
  double angle = 0.5235987755982988;                 // rad, in (0, pi/2): alpha, pi/6
  double striker_mass = 1;                           // kg, > 0: ball 2
  std::vector<double> target_mass = {1};             // kg, > 0: balls 1 and 3
  double striker_radius = 0.1;                       // m, > 0
  double target_radius = 0.05;                       // m, > 0; the targets must not overlap
  double speed = 1;                                  // m/s, of ball 2 along +x
  double gap = 0;                                    // m, >= 0: at the start
  std::vector<double> restitution = {1};             // >= 0: of the three contacts, as the lists below
  std::vector<double> tangential_restitution = {0};  // in [-1, 1]
  std::vector<double> stiffness = {1};               // N/m^exponent, > 0
  double exponent = 1.5;                             // >= 1
  double friction = 0;                               // >= 0

  template <class Self, class Visitor>
  static void visit(Self& p, Visitor&& visit) {
    visit("angle", p.angle, OptionRange{0, 1.5707963267948966, true}, "rad", "of the struck balls from the path");
    visit("striker_mass", p.striker_mass, kPositive, "kg", "of ball 2");
    visit("target_mass", p.target_mass, kPositive, "kg", "of balls 1 and 3");
    visit("striker_radius", p.striker_radius, kPositive, "m", "of ball 2");
    visit("target_radius", p.target_radius, kPositive, "m", "of balls 1 and 3");
    visit("speed", p.speed, kFinite, "m/s", "of ball 2 along +x");
    visit("gap", p.gap, kNotNegative, "m", "from ball 2 to each of the others at the start");
    visit("restitution", p.restitution, kNotNegative, "", "of contacts 1-2, 2-3, 1-3");
    visit("tangential_restitution", p.tangential_restitution, kTangentialRestitution, "", "of the same, for newton");
    visit("stiffness", p.stiffness, kPositive, "N/m^exponent", "of the same, for lzb");
    visit("exponent", p.exponent, kExponent, "", "of the force law, for lzb");
    visit("friction", p.friction, kNotNegative, "", "of all contacts");
  }
};

class BernoulliBalls final : public LagrangianSystem {
 public:
  using Parameters = BernoulliBallsParameters;
  static constexpr std::string_view kName = "bernoulli_balls";
  static constexpr std::string_view kSummary = "a ball strikes two others at once, in the plane";

  explicit BernoulliBalls(const BernoulliBallsParameters& parameters = {});

  std::string_view name() const override { return kName; }
  int coordinates() const override { return 9; }
  int contacts() const override { return 3; }
  std::string coordinate_name(int i) const override;
  std::string contact_name(int i) const override;
  PairLaw contact_law(int i) const override { return laws_.at(static_cast<std::size_t>(i)); }
  int contact_dim(int) const override { return p_.friction > 0 ? 2 : 1; }
  LagrangianState initial_state() const override;

  void mass_matrix(VectorIn q, SparseMatrix& M) const override;
  void force(double t, VectorIn q, VectorIn v, VectorOut F) const override;
  double potential_energy(double, VectorIn) const override { return 0; }
  void gaps(double t, VectorIn q, VectorOut g) const override;
  void contact_rows(double t, VectorIn q, int i, ContactRows& rows) const override;
  std::array<double, 3> contact_bias(double t, VectorIn q, VectorIn v, int i) const override;
  std::vector<double> body_energies(VectorIn q, VectorIn v) const override;

 private:
  BernoulliBallsParameters p_;
  std::array<double, 3> mass_{}, radius_{};
  std::array<PairLaw, 3> laws_;
};

}  // namespace carom
