// A body on two supports with a hinged arm whose tip strikes the ground [L]: three contacts on one floor. Coordinates
// x, y, phi of the body and psi of the arm relative to it, so that M depends on position and centrifugal terms appear.
// At phi = psi = 0 points are as the parameters give them; both angles are counterclockwise.
//
// Contacts: the body's supports "A" and "B", the arm's tip "C".
#pragma once

#include "engine/systems/parameters.h"

namespace carom {

struct TripleContactParameters {
  double body_mass = 10;                          // kg, > 0
  double body_inertia = 0.1;                      // kg m^2, > 0
  double arm_mass = 2;                            // kg, > 0
  double arm_inertia = 0.043;                     // kg m^2, > 0
  std::vector<double> hinge = {0.15, 0.1};        // m, from the body's centre
  std::vector<double> arm_centre = {0.2, -0.08};  // m, from the hinge
  std::vector<double> tip = {0.3, -0.2};          // m, from the hinge
  std::vector<double> support_a = {-0.15, -0.1};  // m, from the body's centre
  std::vector<double> support_b = {0.15, -0.1};   // m
  std::vector<double> restitution = {1};          // >= 0: of A, B, C, or one for all
  std::vector<double> stiffness = {1e6};          // N/m^exponent, > 0: of A, B, C, or one for all
  double exponent = 1;                            // >= 1
  double friction = 0;                            // >= 0
  double tangential_restitution = 0;              // in [-1, 1]
  double arm_angle = 2;                           // rad, at the start
  double arm_velocity = -20;                      // rad/s, at the start
  double gravity = kStandardGravity;              // m/s^2

  template <class Self, class Visitor>
  static void visit(Self& p, Visitor&& visit) {
    visit("body_mass", p.body_mass, kPositive, "kg", "of the body");
    visit("body_inertia", p.body_inertia, kPositive, "kg m^2", "of the body about its centre");
    visit("arm_mass", p.arm_mass, kPositive, "kg", "of the arm");
    visit("arm_inertia", p.arm_inertia, kPositive, "kg m^2", "of the arm about its centre");
    visit("hinge", p.hinge, kFinite, "m", "x, y from the body's centre");
    visit("arm_centre", p.arm_centre, kFinite, "m", "x, y from the hinge at arm angle 0");
    visit("tip", p.tip, kFinite, "m", "x, y from the hinge at arm angle 0");
    visit("support_a", p.support_a, kFinite, "m", "x, y from the body's centre");
    visit("support_b", p.support_b, kFinite, "m", "x, y from the body's centre");
    visit("restitution", p.restitution, kNotNegative, "", "of A, B, C");
    visit("stiffness", p.stiffness, kPositive, "N/m^exponent", "of A, B, C, for lzb");
    visit("exponent", p.exponent, kExponent, "", "of the force law, for lzb");
    visit("friction", p.friction, kNotNegative, "", "on the floor");
    visit("tangential_restitution", p.tangential_restitution, kTangentialRestitution, "", "for newton");
    visit("arm_angle", p.arm_angle, kFinite, "rad", "of the arm against the body at the start");
    visit("arm_velocity", p.arm_velocity, kFinite, "rad/s", "of the arm against the body at the start");
    visit("gravity", p.gravity, kNotNegative, "m/s^2", "downwards");
  }
};

class TripleContact final : public LagrangianSystem {
 public:
  using Parameters = TripleContactParameters;
  static constexpr std::string_view kName = "triple_contact";
  static constexpr std::string_view kSummary = "a body on two supports with a hinged arm that strikes the floor";

  explicit TripleContact(const TripleContactParameters& parameters = {});

  std::string_view name() const override { return kName; }
  int coordinates() const override { return 4; }
  int contacts() const override { return 3; }
  std::string coordinate_name(int i) const override;
  std::string contact_name(int i) const override { return std::string(1, static_cast<char>('A' + i)); }
  PairLaw contact_law(int i) const override;
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
  // A point as seen from the body's centre: a part that turns with the body and one that turns with the arm, m.
  struct Arms {
    Vec2 body, arm;
  };
  Arms arms_of(VectorIn q, const Vec2& in_body, const Vec2& in_arm) const;
  Arms contact_arms(VectorIn q, int i) const;

  TripleContactParameters p_;
  Vec2 hinge_, centre_, tip_, support_a_, support_b_;
  std::vector<double> restitution_, stiffness_;
};

}  // namespace carom
