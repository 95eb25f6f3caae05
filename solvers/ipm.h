// Primal-dual interior point on second-order cones: Nesterov-Todd scaling, Mehrotra's predictor and corrector, and De
// Saxce's shift differentiated inside the Newton step, so that Coulomb friction needs no outer loop.
//
// In the variables  z = (mu r_n, r_t),  y = (u_n / mu + |u_t|, u_t)  friction cones become Lorentz cones L, and a block
// is
//
//     y = D u + s(u_t),   u = W D z + q,   D = diag(1/mu, 1, 1),     L contains z and y,   z o y = 0
//
// with s = (|u_t|, 0, 0) for Coulomb and 0 for Associated blocks. Orthant blocks are Lorentz cones of dimension 1; Free
// blocks have the equation u = 0 and no cone. One Newton step for z o y = sigma gap e is
//
//     (D W D + S P^-2) dz = S P^-1 (lambda \ target) - residual,    S = 1 - c e (u_t/|u_t|)^T for Coulomb, 1 otherwise
//
// and needs one LU factorization, used by predictor and corrector. Iterates stay inside the cones, so redundant
// contacts (W singular) are no obstacle. c = 1 is Newton's step. The shift makes the problem non-monotone, and in jams
// that step may lead out of the cones at once; c is then lowered, at c = 0 the matrix is that of the convex problem
// with the shift held fixed, and raised again by good steps. References: Andersen, Roos & Terlaky 2003; Acary, Armand,
// Nguyen & Shpakovych 2023.
#pragma once

#include "solvers/delassus_system.h"
#include "solvers/lorentz.h"
#include "solvers/newton.h"

namespace carom {

struct IpmOptions {
  StopOptions stop{.max_iterations = 200};
  double regularization = 1e-6;  // times sqrt(gap), added to the diagonal of the scaled system, where W's mean is 1
  double fraction = 0.99;        // of the way to the cones' boundary that a step may take
  bool polish = true;            // where interior points stall, newton goes on from the best of them
  bool record_history = false;

  template <class Self, class Visitor>
  static void visit(Self& o, Visitor&& visit) {
    StopOptions::visit(o.stop, visit);
    visit("regularization", o.regularization, OptionRange{0, 1}, "of W's mean diagonal",
          "times the root of the gap, added to the diagonal of the Newton matrix");
    visit("fraction", o.fraction, OptionRange{.low = 0, .high = 1, .open = true}, "",
          "share of the way to the cones' boundary that a step may take");
    visit("polish", o.polish, OptionRange{}, "", "where interior points stall, newton goes on from the best of them");
    visit("record_history", o.record_history, OptionRange{}, "", "keep the residuals of every iteration");
  }
};

class Ipm : public Solver {
 public:
  using Options = IpmOptions;
  static constexpr std::string_view kName = "ipm";
  static constexpr ConeKinds kTakes = {ConeKind::Free, ConeKind::Orthant, ConeKind::Coulomb, ConeKind::Associated};

  explicit Ipm(const IpmOptions& options = {}) : options_(options) {}

  std::string_view name() const override { return kName; }
  IpmOptions& options() { return options_; }
  SolveReport solve(const ConeProblem& problem, VectorOut r) override;

 private:
  // Where a block of the problem stands in the scaled variables.
  struct Block {
    int place = 0;  // of the block in r, u, z and y
    int dim = 0;
    int size = 0;       // rows that take part: a friction block with mu = 0 keeps its normal only
    double normal = 1;  // D_nn = 1/mu
    bool conic = true;  // false: Free
    bool shifted = false;
    lorentz::Scaling scaling;
  };

  void prepare(const ConeProblem& problem);
  bool step();
  double length_of_step();
  void polish(const ConeProblem& problem, VectorOut r, SolveReport& report);
  void first_point(const ConeProblem& problem, VectorIn r);
  void to_impulses(VectorOut r) const;
  void residual(VectorIn u);
  bool factor();
  void direction();
  void predict();
  void correct();
  void centre();
  double longest_step() const;
  double gap() const;
  double scale_of(const Block& block, int k) const { return k == 0 ? block.normal : 1.0; }
  void slip_direction(const Block& block, double* t) const;

  IpmOptions options_;
  StopTest stop_;
  DelassusSystem system_;
  Newton newton_;
  std::vector<Block> blocks_;
  std::vector<char> all_;                        // every block takes part
  double impulse_unit_ = 1, velocity_unit_ = 1;  // r = impulse_unit D z,  y = D u / velocity_unit + s
  int degree_ = 0;                               // number of cones
  double shift_share_ = 1;                       // c
  double least_target_ = 0;                      // step: of the gap, so that it does not outrun the residual
  Vector z_, y_;                                 // scaled impulses and shifted velocities
  Vector residual_;                              // D u + s - y
  Vector lambda_;                                // P^-1 z = P y
  Vector target_;                                // right-hand side of the linearized z o y
  Vector dz_, dy_, right_;
};

}  // namespace carom
