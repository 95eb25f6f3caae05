// A restitution matrix, Newton's law with coupled contacts (Brogliato, Zhang, Liu 2012). In the kinetic metric the
// normal velocities are xi_i = u_n,i / sqrt(W_ii), and with D = diag(sqrt(W_ii)) of the normal rows
//
//     xi_plus = -E_n xi_minus,     that is   u_n+ = -D E_n D^-1 u_n-
//
// E_n(i, j) tells how an approach at contact j makes contact i separate: a rocking block needs entries off the
// diagonal. What the contacts' tangents see of the motion that is kinetically orthogonal to the normals is u_T = u_t -
// W_tn W_nn^-1 u_n, with Delassus matrix S = W_tt - W_tn W_nn^-1 W_nt and metric D_t = diag(sqrt(S_kk)):
//
//     u_T+ = -D_t E_tan D_t^-1 u_T-       E_tan = -I: no tangential impulses
//
// Impulses follow from W p = u_plus - u_minus by a rank-revealing solve. Nothing makes such a law consistent but its
// coefficients, so the report tells what fails: kinematic (u_n+ < 0), kinetic (an impulse that pulls or leaves the
// friction cone), energetic. With A = D^-1 W_nn D^-1 the exact energy condition of one impact is
//
//     xi_minus . (E_n^T A^-1 E_n - A^-1) xi_minus <= 0
//
// and that of all impacts  sigma = norm_2(A^-1/2 E_n A^1/2) <= 1.
#pragma once

#include "engine/impact/impact_law.h"
#include "engine/impact/impact_solver.h"

namespace carom {

// What happens along the contacts' tangents.
enum class TangentialRule : std::uint8_t {
  Free,         // no tangential impulses: E_tan = -I
  Restitution,  // E_tan
  Stick,        // contacts with friction stick: u_t+ = 0
};
std::string_view name_of(TangentialRule rule);  // "free", "restitution", "stick"
inline std::array<TangentialRule, 3> choices_of(TangentialRule) {
  return {TangentialRule::Free, TangentialRule::Restitution, TangentialRule::Stick};
}

struct RestitutionMatrixOptions {
  MatrixXd matrix{};    // E_n, contacts x contacts; empty: built by the rule below
  double coupling = 0;  // E_n(i, j) by rule where W_ij != 0; the diagonal holds the contacts' restitution
  TangentialRule tangential = TangentialRule::Free;
  MatrixXd tangential_matrix{};        // E_tan, tangential rows x tangential rows; empty: the coefficient times I
  double tangential_coefficient = -1;  // E_tan = this times I
  ImpactSolveOptions solve{};

  template <class Self, class Visitor>
  static void visit(Self& o, Visitor&& visit) {
    visit("matrix", o.matrix, OptionRange{}, "",
          "E_n, one row per contact; none: built by rule for any number of them");
    visit("coupling", o.coupling, OptionRange{0, 1}, "",
          "by rule: E_n between contacts that share a body; its diagonal holds the contacts' restitution");
    visit("tangential", o.tangential, OptionRange{}, "",
          "no tangential impulses, restitution by E_tan, or sticking where there is friction");
    visit("tangential_matrix", o.tangential_matrix, OptionRange{}, "", "E_tan, one row per tangent; none: see next");
    visit("tangential_coefficient", o.tangential_coefficient, OptionRange{-1, 1}, "",
          "E_tan = this times the identity");
    ImpactSolveOptions::visit(o.solve, visit);
  }
};

class RestitutionMatrixLaw : public ImpactLaw {
 public:
  using Options = RestitutionMatrixOptions;
  static constexpr std::string_view kName = "restitution_matrix";
  static constexpr std::string_view kRestitution =
      "kinematic, on the diagonal of E_n when that is built by rule; not read when the matrix is given";
  static constexpr double kMostRestitution = 1;
  static constexpr bool kFriction = true;

  // Throws InputError when E_tan is given but not asked for.
  explicit RestitutionMatrixLaw(const RestitutionMatrixOptions& options = {});

  std::string_view name() const override { return kName; }
  RestitutionMatrixOptions& options() { return options_; }
  // Throws InputError when a matrix does not have the size of the problem.
  ImpactReport apply(const ImpactProblem& problem, VectorXd& p) override;

 private:
  void make_normal_target(const ImpactProblem& problem);
  bool make_tangential_target(const ImpactProblem& problem, ImpactReport& report);
  bool find_impulses(const ImpactProblem& problem, VectorXd& p, ImpactReport& report);
  void judge_consistency(const ImpactProblem& problem, VectorIn p, ImpactReport& report) const;

  RestitutionMatrixOptions options_;
  ImpactSolver solver_;
  VectorXd u_plus_;  // what the law asks for
};

// The matrix by rule: restitution on the diagonal, the coupling where W_ij != 0.
MatrixXd restitution_by_rule(const ImpactProblem& problem, double coupling);

// sigma = norm_2(A^-1/2 E_n A^1/2) on the range of A: no impact gains energy by its normal part when it is <= 1, and
// some impact gains (sigma^2 - 1) times its own when it is not. Throws InputError when E_n has another size.
double restitution_energy_norm(const ImpactProblem& problem, const MatrixXd& E_n);

}  // namespace carom
