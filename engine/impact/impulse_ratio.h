// Constant impulse correlation ratios (Ceanga & Hurmuzlu 2001): while a contact j collides, its neighbours i, those
// with W_ij != 0 that do not separate, take a constant fraction of its impulse,
//
//     dp_i = alpha_ji dp_j,    that is  dp = r ds  with  r_j = 1, r_i = alpha_ji,      u(s) = u + s W r
//
// The fastest approaching contact goes first; events follow each other until none approaches. How restitution enters:
//
//   global    all contacts of an event together return e^2 of the work they took up, with the e of contact j. Their
//   work
//             is the integral of r.u ds, compression ends at s_c = -r.u / (r.W r), and p = (1 + e) s_c r: energetic,
//             kinematic (r.u+ = -e r.u-) and kinetic restitution agree along r. Energy changes by -(1 - e^2) (r.u)^2 /
//             (2 r.W r), never upward.
//   contact   each contact returns e^2 of the work that it took up itself; the event ends when contact j has. For j
//   that
//             began to compress in this event p_j = -(1 + e) u_j / (W r)_j. What neighbours took up is kept and
//             returned in events of their own; one that has returned all takes no further part. Nobody returns what it
//             did not take, so energy never grows here either. Where a ratio is so large that a neighbour at rest would
//             be pushed off instead of being pressed it cannot be had: that neighbour is left out, `admissible` is
//             false.
//
// alpha = 0 is `binary`. For three equal balls alpha = 1/2 with `global` is Moreau's law; ratios that can be had end
// there.
#pragma once

#include "engine/impact/impact_law.h"
#include "solvers/options.h"

namespace carom {

enum class RatioRestitution : std::uint8_t { Global, Contact };
std::string_view name_of(RatioRestitution restitution);  // "global", "contact"
inline std::array<RatioRestitution, 2> choices_of(RatioRestitution) {
  return {RatioRestitution::Global, RatioRestitution::Contact};
}

struct ImpulseRatioOptions {
  double ratio = 0.2;  // measured ones of three equal balls: 0.08 to 0.34
  MatrixXd ratios{};   // alpha_ji in row j, contacts x contacts; empty: `ratio` for all
  RatioRestitution restitution = RatioRestitution::Contact;
  int max_events = 1000000;
  double rest = 1e-12;

  template <class Self, class Visitor>
  static void visit(Self& o, Visitor&& visit) {
    visit("ratio", o.ratio, OptionRange{0, 1}, "", "impulse of a neighbour over that of the struck contact");
    visit("ratios", o.ratios, OptionRange{0, 1}, "", "one per pair, struck contact by row; none: `ratio` for all");
    visit("restitution", o.restitution, OptionRange{}, "",
          "whose work e returns: all contacts' together or each one's");
    visit("max_events", o.max_events, OptionRange{1, 1e9}, "events", "limit; reaching it is reported");
    visit("rest", o.rest, OptionRange{0, 1}, "of the first approach speed", "a contact slower than this is at rest");
  }
};

class ImpulseRatioLaw : public ImpactLaw {
 public:
  using Options = ImpulseRatioOptions;
  static constexpr std::string_view kName = "impulse_ratio";
  static constexpr std::string_view kRestitution =
      "energetic: e^2 is the work returned over the work taken up, of the struck contact's event or of each contact";
  static constexpr double kMostRestitution = 1;
  static constexpr bool kFriction = false;

  explicit ImpulseRatioLaw(const ImpulseRatioOptions& options = {}) : options_(options) {}

  std::string_view name() const override { return kName; }
  ImpulseRatioOptions& options() { return options_; }
  // Throws InputError when `ratios` does not have the size of the problem.
  ImpactReport apply(const ImpactProblem& problem, VectorXd& p) override;

 private:
  int struck_contact(const ImpactProblem& problem, double rest) const;
  bool has_work(const ImpactProblem& problem, int i, double rest) const;
  void make_direction(const ImpactProblem& problem, int j, double rest);
  void make_rates(const ImpactProblem& problem);
  void leave_alone(const ImpactProblem& problem, int j);
  void advance(double s);
  void global_event(const ImpactProblem& problem, int j);
  void contact_event(const ImpactProblem& problem, int j);
  double length_left(const ImpactProblem& problem, int i) const;
  void exchange_work(const ImpactProblem& problem, int i, double s);

  ImpulseRatioOptions options_;
  std::vector<int> members_;  // contacts of the event
  VectorXd r_;                // their ratios, per contact; 0 in the others
  VectorXd rate_;             // W r by normal rows
  VectorXd u_, p_;            // normal velocities and impulses, per contact
  VectorXd stored_;           // work taken up and not yet returned, J, per contact
  bool left_out_ = false;     // a ratio could not be had
};

}  // namespace carom
