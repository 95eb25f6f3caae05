// How far an r is from solving a cone problem. One shared function, called on exit from every solver.
#pragma once

#include "solvers/problem.h"

namespace carom {

struct Residuals {
  // norm(r - P_K(r - (u + s(u)))) / norm(q): the FCLIB convention, what solvers are compared by. It adds
  // impulses to velocities, so its meaning changes with units.
  double natural_map = 0;
  // The natural map of block i with step rho_i = dim / trace(W_ii), divided by rho_i, in m/s: a velocity
  // error whatever the masses. Worst block and root mean square.
  double velocity_worst = 0;
  double velocity_rms = 0;
  int worst_block = -1;
};

// u receives W r + q. A value that is not finite in r or u makes every residual infinite.
Residuals compute_residuals(const ConeProblem& problem, VectorIn r, VectorOut u);

// The same without allocation, for solvers: prepare_residuals once per problem, then any number of r.
struct ResidualSums {
  double natural = 0, velocity = 0, worst = -1;  // squares
  int worst_block = -1;
  double zero = 0;  // unless something was not finite
};
struct ResidualScratch {
  Threads threads;                    // set before prepare_residuals; changes no bit
  double norm_q = 1;                  // prepare_residuals: norm(q), or 1 when q = 0
  std::vector<double> rho;            // prepare_residuals: dim / trace(W_ii), per block
  AddRow3x3 add_row = nullptr;        // prepare_residuals: set when W is assembled from 3x3 blocks only
  BodyActions actions;                // prepare_residuals: when W has factors and there is more than one thread
  std::vector<Twist> twists;          // compute_residuals: M^-1 H^T r when W has factors, per body
  std::vector<ResidualSums> partial;  // compute_residuals: per chunk of blocks
};
void prepare_residuals(const ConeProblem& problem, ResidualScratch& scratch);
Residuals compute_residuals(const ConeProblem& problem, VectorIn r, VectorOut u, ResidualScratch& scratch);

double natural_map_residual(const ConeProblem& problem, VectorIn r);

}  // namespace carom
