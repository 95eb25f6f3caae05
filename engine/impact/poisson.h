// Poisson's law in two phases (Pfeiffer & Glocker 1996): compression brings the contacts to rest, expansion returns at
// least e of each contact's normal impulse.
//
//     compression   0 <= W p_c + u_minus  perp  p_c >= 0,                    u_c = u_minus + W p_c
//     expansion     0 <= W p_e + u_c      perp  p_e - e p_c >= 0,            p = p_c + p_e
//
// With friction both phases obey Coulomb's law, with the normal impulse and the sliding velocity of the phase: in the
// expansion |p_et| <= mu p_en, though p_en cannot fall below a = e p_cn. That is a cone problem too, with a velocity s
// per contact at which it is allowed to leave:
//
//     K* contains w + s(w), p_e in K,  w = (u_n - s, u_t),      0 <= s  perp  p_en - a >= 0,     u = u_c + W p_e
//
// since p_en >= a > 0 makes u_n = s there. (Subtracting kappa (u_n - s) = 0 from p_en - a gives the block of s a
// diagonal entry; for kappa_i <= 4 / sum over j of |W_ij| the matrix stays positive semidefinite.)
#pragma once

#include "engine/impact/impact_law.h"
#include "engine/impact/impact_solver.h"

namespace carom {

struct PoissonOptions {
  ImpactSolveOptions solve{};

  template <class Self, class Visitor>
  static void visit(Self& o, Visitor&& visit) {
    ImpactSolveOptions::visit(o.solve, visit);
  }
};

// Energy never grows, whatever W and u_minus are, when e <= 1 and
//   - there is no friction: p_e minimizes T over p_e >= e p_c, where p_c itself would lead back to T_minus; or
//   - all contacts share one e: dT <= -((1 - e^2) p_c.W p_c + d.W d) / 2 with d = p_e - e p_c.
// Velocities never approach and impulses never leave their cones, whatever e is. Values up to 2 are taken: they are
// needed for outcomes of the energy of u_minus beyond Moreau's (three balls: the cradle is e = 1/2 and 2), but what
// makes energy in one impact may be right in another; `admissible` is then false, as with friction and different e.
class PoissonLaw : public ImpactLaw {
 public:
  using Options = PoissonOptions;
  static constexpr std::string_view kName = "poisson";
  static constexpr std::string_view kRestitution =
      "kinetic: expansion impulse over compression impulse; above 1 energy may grow";
  static constexpr double kMostRestitution = 2;
  static constexpr bool kFriction = true;

  explicit PoissonLaw(const PoissonOptions& options = {}) : options_(options) {}

  std::string_view name() const override { return kName; }
  PoissonOptions& options() { return options_; }
  ImpactReport apply(const ImpactProblem& problem, VectorXd& p) override;

 private:
  void judge_parameters(const ImpactProblem& problem, ImpactReport& report) const;
  Uniqueness find_uniqueness(const ImpactProblem& problem, VectorIn p) const;
  bool expand(const ImpactProblem& problem, ImpactReport& report);
  bool expand_with_friction(const ImpactProblem& problem, ImpactReport& report);

  PoissonOptions options_;
  ImpactSolver solver_;
  VectorXd p_c_, p_e_;  // impulses of the phases
  VectorXd a_;          // e p_c by normal rows; 0 in the others
  VectorXd u_c_;        // velocities at the end of compression
};

}  // namespace carom
