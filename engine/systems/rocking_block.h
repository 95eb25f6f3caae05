// A planar block on a still or moving base, Housner's inverted pendulum and what goes beyond it. Coordinates x, y of
// its centre and theta, clockwise: at theta > 0 it leans to the right and stands on B.
//
//      D +-------+ C
//        |       |          height l
//        |       |
//      A +-------+ B        width L
//     ~~~~~~~~~~~~~~~ base
//
// Each of the four corners is a contact with the base, so that the gaps are valid for any theta, through overturning.
// M is diagonal; a moving base appears in the drift of the rows.
#pragma once

#include "engine/systems/base_motion.h"
#include "engine/systems/parameters.h"

namespace carom {

enum class BaseKind : std::uint8_t { Still, Harmonic, Table };
std::string_view name_of(BaseKind kind);  // "still", "harmonic", "table"
inline std::array<BaseKind, 3> choices_of(BaseKind) { return {BaseKind::Still, BaseKind::Harmonic, BaseKind::Table}; }

struct RockingBlockParameters {
  double height = 1;                      // m, > 0: l
  double width = 0.25;                    // m, > 0: L
  double mass = 1;                        // kg, > 0, spread evenly
  double friction = 0.8;                  // >= 0
  std::vector<double> restitution = {0};  // >= 0: of A, B, C, D, or one for all
  double tangential_restitution = 0;      // in [-1, 1]
  std::vector<double> stiffness = {1};    // N/m^exponent, > 0: of A, B, C, D, or one for all
  double exponent = 1;                    // >= 1
  double angle = 0;                       // rad, clockwise: at the start, its lowest corner `gap` above the base
  double angular_velocity = 0;            // rad/s, about the lowest corner, or B where theta = 0
  double gap = 0;                         // m, >= 0
  double gravity = kStandardGravity;      // m/s^2
  BaseKind base = BaseKind::Still;
  double base_amplitude = 0;                            // m, horizontal: of the harmonic base
  double base_vertical_amplitude = 0;                   // m
  double base_frequency = 1;                            // Hz, > 0
  double base_phase = 0;                                // rad
  std::vector<double> base_time = {};                   // s, increasing: of the table
  std::vector<double> base_acceleration = {};           // m/s^2, horizontal
  std::vector<double> base_vertical_acceleration = {};  // m/s^2

  template <class Self, class Visitor>
  static void visit(Self& p, Visitor&& visit) {
    visit("height", p.height, kPositive, "m", "of the block");
    visit("width", p.width, kPositive, "m", "of the block");
    visit("mass", p.mass, kPositive, "kg", "spread evenly");
    visit("friction", p.friction, kNotNegative, "", "block on base");
    visit("restitution", p.restitution, kNotNegative, "", "of corners A, B, C, D");
    visit("tangential_restitution", p.tangential_restitution, kTangentialRestitution, "", "for newton");
    visit("stiffness", p.stiffness, kPositive, "N/m^exponent", "of corners A, B, C, D, for lzb");
    visit("exponent", p.exponent, kExponent, "", "of the force law, for lzb");
    visit("angle", p.angle, kFinite, "rad", "clockwise, at the start");
    visit("angular_velocity", p.angular_velocity, kFinite, "rad/s", "clockwise, about the lowest corner, at the start");
    visit("gap", p.gap, kNotNegative, "m", "of the lowest corner at the start");
    visit("gravity", p.gravity, kNotNegative, "m/s^2", "downwards");
    visit("base", p.base, OptionRange{}, "", "how the base moves");
    visit("base_amplitude", p.base_amplitude, kFinite, "m", "harmonic: horizontal");
    visit("base_vertical_amplitude", p.base_vertical_amplitude, kFinite, "m", "harmonic: vertical");
    visit("base_frequency", p.base_frequency, kPositive, "Hz", "harmonic");
    visit("base_phase", p.base_phase, kFinite, "rad", "harmonic");
    visit("base_time", p.base_time, kFinite, "s", "table: increasing times");
    visit("base_acceleration", p.base_acceleration, kFinite, "m/s^2", "table: horizontal");
    visit("base_vertical_acceleration", p.base_vertical_acceleration, kFinite, "m/s^2", "table: vertical");
  }
};

class RockingBlock final : public LagrangianSystem {
 public:
  using Parameters = RockingBlockParameters;
  static constexpr std::string_view kName = "rocking_block";
  static constexpr std::string_view kSummary = "a planar block on a still or shaken base";

  explicit RockingBlock(const RockingBlockParameters& parameters = {});
  // On a base that moves as the function says; the parameters of the base are not used.
  RockingBlock(const RockingBlockParameters& parameters, BaseMotion base);

  std::string_view name() const override { return kName; }
  int coordinates() const override { return 3; }
  int contacts() const override { return 4; }
  std::string coordinate_name(int i) const override;
  std::string contact_name(int i) const override;
  PairLaw contact_law(int i) const override;
  int contact_dim(int) const override { return p_.friction > 0 ? 2 : 1; }
  LagrangianState initial_state() const override;

  void mass_matrix(VectorIn q, SparseMatrix& M) const override;
  void force(double t, VectorIn q, VectorIn v, VectorOut F) const override;
  double potential_energy(double t, VectorIn q) const override;
  double smooth_until(double t) const override;
  void gaps(double t, VectorIn q, VectorOut g) const override;
  void contact_rows(double t, VectorIn q, int i, ContactRows& rows) const override;
  std::array<double, 3> contact_bias(double t, VectorIn q, VectorIn v, int i) const override;
  std::vector<double> body_energies(VectorIn q, VectorIn v) const override;

  double inertia() const { return p_.mass * (p_.height * p_.height + p_.width * p_.width) / 12; }  // kg m^2

 private:
  Vec2 corner(double theta, int i) const;  // from the centre, m

  RockingBlockParameters p_;
  BaseMotion base_;
  std::vector<double> restitution_, stiffness_;
};

}  // namespace carom
