// Painleve's rod: a slender rod on a rough floor. Coordinates x, y of its centre and theta, counterclockwise from the
// horizontal; ends A at -L/2 (cos, sin) and B at +L/2 (cos, sin) are its contacts.
//
// Sliding on A to the left with friction mu, the normal force N must obey
//     0 = N (1/m - (L^2/4J) cos(theta) (mu sin(theta) - cos(theta))) - g + (L/2) sin(theta) theta'^2,
// which has no solution N >= 0 where the bracket is negative and the rest is too: uniform rods need mu > 4/3, and
// tan(theta) = 2 is worst.
#pragma once

#include "engine/systems/parameters.h"

namespace carom {

struct PainleveRodParameters {
  double length = 1;                  // m, > 0
  double mass = 1;                    // kg, > 0
  double inertia = 0;                 // kg m^2, >= 0: about the centre; 0: uniform, m L^2/12
  double friction = 2;                // >= 0
  double restitution = 0;             // >= 0
  double tangential_restitution = 0;  // in [-1, 1]
  double stiffness = 1;               // N/m^exponent, > 0
  double exponent = 1;                // >= 1
  double angle = 1;                   // rad: at the start
  double angular_velocity = 0;        // rad/s
  double sliding_speed = -1;          // m/s: of end A along +x
  double gap = 0;                     // m, >= 0: of the lower end at the start
  double gravity = kStandardGravity;  // m/s^2

  template <class Self, class Visitor>
  static void visit(Self& p, Visitor&& visit) {
    visit("length", p.length, kPositive, "m", "of the rod");
    visit("mass", p.mass, kPositive, "kg", "of the rod");
    visit("inertia", p.inertia, kNotNegative, "kg m^2", "about the centre; 0: that of a uniform rod");
    visit("friction", p.friction, kNotNegative, "", "on the floor");
    visit("restitution", p.restitution, kNotNegative, "", "on the floor");
    visit("tangential_restitution", p.tangential_restitution, kTangentialRestitution, "", "for newton");
    visit("stiffness", p.stiffness, kPositive, "N/m^exponent", "for lzb");
    visit("exponent", p.exponent, kExponent, "", "of the force law, for lzb");
    visit("angle", p.angle, kFinite, "rad", "from the horizontal, at the start");
    visit("angular_velocity", p.angular_velocity, kFinite, "rad/s", "at the start");
    visit("sliding_speed", p.sliding_speed, kFinite, "m/s", "of end A along +x, at the start");
    visit("gap", p.gap, kNotNegative, "m", "of the lower end at the start");
    visit("gravity", p.gravity, kNotNegative, "m/s^2", "downwards");
  }
};

class PainleveRod final : public LagrangianSystem {
 public:
  using Parameters = PainleveRodParameters;
  static constexpr std::string_view kName = "painleve_rod";
  static constexpr std::string_view kSummary = "a rod that slides on a rough floor";

  explicit PainleveRod(const PainleveRodParameters& parameters = {});

  std::string_view name() const override { return kName; }
  int coordinates() const override { return 3; }
  int contacts() const override { return 2; }
  std::string coordinate_name(int i) const override;
  std::string contact_name(int i) const override { return i == 0 ? "A" : "B"; }
  PairLaw contact_law(int) const override;
  int contact_dim(int) const override { return p_.friction > 0 ? 2 : 1; }
  LagrangianState initial_state() const override;

  void mass_matrix(VectorIn q, SparseMatrix& M) const override;
  void force(double t, VectorIn q, VectorIn v, VectorOut F) const override;
  double potential_energy(double t, VectorIn q) const override;
  void gaps(double t, VectorIn q, VectorOut g) const override;
  void contact_rows(double t, VectorIn q, int i, ContactRows& rows) const override;
  std::array<double, 3> contact_bias(double t, VectorIn q, VectorIn v, int i) const override;
  std::vector<double> body_energies(VectorIn q, VectorIn v) const override;

 private:
  Vec2 end(double theta, int i) const;  // from the centre, m

  PainleveRodParameters p_;
};

}  // namespace carom
