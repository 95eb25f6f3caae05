// Cone problems inside impact laws: small, solved once, wanted to the last digits.
#pragma once

#include "engine/impact/impact_report.h"
#include "solvers/auto_solver.h"
#include "solvers/lemke.h"
#include "solvers/small_exact.h"

namespace carom {

// How well a law solves its cone problems.
struct ImpactSolveOptions {
  double tolerance = 1e-12;  // of the natural map on blocks scaled to W_nn = 1, relative to |q|
  double accept = 1e-9;      // what still counts as solved where rounding errors keep the tolerance out of reach

  template <class Self, class Visitor>
  static void visit(Self& o, Visitor&& visit) {
    visit("tolerance", o.tolerance, OptionRange{0, 1}, "relative to |q|", "cone problems are solved to this residual");
    visit("accept", o.accept, OptionRange{0, 1}, "relative to |q|",
          "residual that still counts as solved where the tolerance is out of reach");
  }
};

class ImpactSolver {
 public:
  // Finds p with K* containing u + s(u), u = W p + q, from p = 0: by `exact` up to ten contacts, else by `lemke`
  // without friction and by `auto` with it; what one of them does not solve is left to the next. Writes the residual
  // into the report; false with status NotSolved and a message when it is not accepted.
  bool solve(const BlockSparse& W, const Cones& cones, VectorIn q, const ImpactSolveOptions& options, VectorXd& p,
             ImpactReport& report);

 private:
  void scale(const BlockSparse& W, const Cones& cones, VectorIn q);

  ConeProblem problem_;    // D W D, D q
  std::vector<double> d_;  // D, per block: powers of two near 1 / sqrt(W_nn)
  Vector r_;               // D^-1 p
  SmallExact exact_;
  Lemke lemke_;
  Auto auto_;
};

// No contact has friction: the cone problem is a linear complementarity problem.
bool is_frictionless(const Cones& cones);

// What theory says of a frictionless cone problem's answer with velocities w = W p + q: w is unique; p is, when the
// rows with w = 0 of W are independent; `speed` tells what 0 is. With friction nothing is known in general.
Uniqueness uniqueness_of(const BlockSparse& W, const Cones& cones, VectorIn w, double speed);

}  // namespace carom
