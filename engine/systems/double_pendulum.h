// A double pendulum against a vertical wall. Coordinates theta1, theta2: angles of the two links from the downward
// vertical, counterclockwise, so that x grows with small angles; the pivot is the origin. By default the links are
// massless with a point mass at their ends.
//
// Contacts with the wall at x = wall: "elbow" (the joint) and "tip".
#pragma once

#include "engine/systems/parameters.h"

namespace carom {

struct DoublePendulumParameters {
  std::vector<double> mass = {1, 1};              // kg, > 0: of the links, as the lists below; or one for both
  std::vector<double> length = {1, 1};            // m, > 0
  std::vector<double> centre = {1};               // in [0, inf): centre of mass from the upper joint, in lengths
  std::vector<double> inertia = {0};              // kg m^2, >= 0: about the centre of mass
  std::vector<double> angle = {-0.5, -0.3};       // rad, at the start
  std::vector<double> angular_velocity = {0, 0};  // rad/s, at the start
  double wall = 0.5;                              // m
  double friction = 0;                            // >= 0
  double restitution = 0.8;                       // >= 0
  double tangential_restitution = 0;              // in [-1, 1]
  double stiffness = 1;                           // N/m^exponent, > 0
  double exponent = 1.5;                          // >= 1
  double gravity = kStandardGravity;              // m/s^2

  template <class Self, class Visitor>
  static void visit(Self& p, Visitor&& visit) {
    visit("mass", p.mass, kPositive, "kg", "of the links");
    visit("length", p.length, kPositive, "m", "of the links");
    visit("centre", p.centre, kNotNegative, "lengths", "of mass, from the upper joint");
    visit("inertia", p.inertia, kNotNegative, "kg m^2", "about the centre of mass");
    visit("angle", p.angle, kFinite, "rad", "from the downward vertical at the start");
    visit("angular_velocity", p.angular_velocity, kFinite, "rad/s", "at the start");
    visit("wall", p.wall, kFinite, "m", "x of the wall, right of the pendulum");
    visit("friction", p.friction, kNotNegative, "", "on the wall");
    visit("restitution", p.restitution, kNotNegative, "", "on the wall");
    visit("tangential_restitution", p.tangential_restitution, kTangentialRestitution, "", "for newton");
    visit("stiffness", p.stiffness, kPositive, "N/m^exponent", "for lzb");
    visit("exponent", p.exponent, kExponent, "", "of the force law, for lzb");
    visit("gravity", p.gravity, kNotNegative, "m/s^2", "downwards");
  }
};

class DoublePendulum final : public LagrangianSystem {
 public:
  using Parameters = DoublePendulumParameters;
  static constexpr std::string_view kName = "double_pendulum";
  static constexpr std::string_view kSummary = "a double pendulum against a vertical wall";

  explicit DoublePendulum(const DoublePendulumParameters& parameters = {});

  std::string_view name() const override { return kName; }
  int coordinates() const override { return 2; }
  int contacts() const override { return 2; }
  std::string coordinate_name(int i) const override { return i == 0 ? "theta1" : "theta2"; }
  std::string contact_name(int i) const override { return i == 0 ? "elbow" : "tip"; }
  PairLaw contact_law(int) const override;
  int contact_dim(int) const override { return p_.friction > 0 ? 2 : 1; }
  LagrangianState initial_state() const override { return start_; }

  void mass_matrix(VectorIn q, SparseMatrix& M) const override;
  void force(double t, VectorIn q, VectorIn v, VectorOut F) const override;
  double potential_energy(double t, VectorIn q) const override;
  void gaps(double t, VectorIn q, VectorOut g) const override;
  void contact_rows(double t, VectorIn q, int i, ContactRows& rows) const override;
  std::array<double, 3> contact_bias(double t, VectorIn q, VectorIn v, int i) const override;
  std::vector<double> body_energies(VectorIn q, VectorIn v) const override;

 private:
  DoublePendulumParameters p_;
  Vec2 mass_, length_, centre_, inertia_;  // centre in m
  LagrangianState start_;
};

}  // namespace carom
