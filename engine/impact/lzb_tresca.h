// Tresca's problem: friction forces when normal forces are known,
//
//     min  T . W_tt T / 2 + a . T     over  |T_i| <= bound_i
//
// It is convex: motions W_tt T + a are unique whatever the redundancy of contacts, and forces that stay in their
// cones exist always. Block Gauss-Seidel finds which contacts hold and which slide; conjugate gradients over those that
// hold then solve for all of them at once, so that long rows of holding contacts cost no sweeps. W_tt may be singular.
#pragma once

#include "engine/impact/lzb_active.h"

namespace carom {

// One contact's part of it.
struct LzbDisc {
  int row = 0;  // first tangential local row
  int dim = 1;  // rows
  double bound = 0;
  double block[4] = {0, 0, 0, 0};  // its own part of W_tt
};

class LzbTresca {
 public:
  // `a` and T by local rows of the active set, T in as a guess and out; rows without a disc are not read. `tolerance`
  // is of W_tt T + a. False when it was not met within the sweeps allowed; T lies in the discs even so.
  bool solve(const LzbActive& active, const std::vector<LzbDisc>& discs, const double* a, double tolerance, double* T);

 private:
  double sweep(const LzbActive& active, const std::vector<LzbDisc>& discs, const double* a);
  void solve_held(const LzbActive& active, const std::vector<LzbDisc>& discs, const double* a);
  double objective(const LzbActive& active, const std::vector<LzbDisc>& discs, const double* a, const Vector& T);

  Vector T_;  // by local rows, 0 where no disc is
  Vector residual_, search_, product_, step_, trial_;
  std::vector<int> held_;      // rows
  std::vector<double> scale_;  // their diagonal entries of W
};

// The diagonal block of W at `row`, dim x dim in rows of two.
void copy_block(const LzbRows& W, int row, int dim, double* block);

}  // namespace carom
