// Newton's law: each contact's relative velocity is reversed by coefficients of its own,
//
//     u_plus = -E u_minus  where impulses act,    E = diag(e_n, e_t, e_t), 0 on rows of rolling resistance
//
// One cone problem gives all impulses at once: since W p + (I + E) u_minus = u_plus + E u_minus,
//
//     K* contains w + s(w),   p in K,   (w + s(w)) . p = 0,     w = W p + (I + E) u_minus
//
// e_t = 0 is Moreau's law (Moreau 1988); e_t = 1 is Fremond's, whose friction opposes u_t+ + u_t- (Fremond 1995).
#pragma once

#include "engine/impact/impact_law.h"
#include "engine/impact/impact_solver.h"
#include "engine/material.h"

namespace carom {

// The law inside the time step: q += E u_minus.
void apply_newton_law(std::span<const PairLaw> laws, const Cones& cones, VectorIn u_minus, VectorOut q);

// Which e_t acts.
enum class NewtonPreset : std::uint8_t {
  Contacts,  // each contact's own tangential_restitution
  Moreau,    // 0
  Fremond,   // 1
};
std::string_view name_of(NewtonPreset preset);  // "contacts", "moreau", "fremond"
inline std::array<NewtonPreset, 3> choices_of(NewtonPreset) {
  return {NewtonPreset::Contacts, NewtonPreset::Moreau, NewtonPreset::Fremond};
}

struct NewtonLawOptions {
  NewtonPreset preset = NewtonPreset::Contacts;
  ImpactSolveOptions solve{};

  template <class Self, class Visitor>
  static void visit(Self& o, Visitor&& visit) {
    visit("preset", o.preset, OptionRange{}, "", "e_t: the contacts' own, 0 (moreau) or 1 (fremond)");
    ImpactSolveOptions::visit(o.solve, visit);
  }
};

// Energy. With w as above the change is  dT = (p.w + sum over i of (1 - e_n) p_n u_n- + (1 - e_t) p_t . u_t-) / 2  and
// p.w <= 0. It is <= 0 whatever W, friction and u_minus are when
//   - all contacts have one e, and those with friction e_t = e too: dT = (p.w - (1 - e) p.Wp / 2) / (1 + e); or
//   - no contact separates before the impact and those with friction have e_t = 1.
// Outside of these the law can create energy, by friction (Kane's paradox) or where contacts of different e separate
// before the impact; `admissible` is then false. A contact that separates at u_n- before may approach by at most
// e u_n- afterwards.
class NewtonLaw : public ImpactLaw {
 public:
  using Options = NewtonLawOptions;
  static constexpr std::string_view kName = "newton";
  static constexpr std::string_view kRestitution =
      "kinematic: separation speed over approach speed, contact by contact";
  static constexpr double kMostRestitution = 1;
  static constexpr bool kFriction = true;

  explicit NewtonLaw(const NewtonLawOptions& options = {}) : options_(options) {}

  std::string_view name() const override { return kName; }
  NewtonLawOptions& options() { return options_; }
  ImpactReport apply(const ImpactProblem& problem, VectorXd& p) override;

 private:
  double tangential(const ImpactContact& contact) const;
  void judge_parameters(const ImpactProblem& problem, ImpactReport& report) const;

  NewtonLawOptions options_;
  ImpactSolver solver_;
  VectorXd q_;  // (I + E) u_minus
};

}  // namespace carom
