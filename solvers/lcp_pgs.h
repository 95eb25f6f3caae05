// Projected Gauss-Seidel with relaxation on an LCP, row by row:
//
//     z_i <- max(0, z_i - omega (M z + q)_i / M_ii)
//
// A row whose diagonal vanishes, such as a friction bound of solvers/facetize.h, takes the diagonal of its Schur
// complement, - sum over j of M_ij M_ji / M_jj, instead. Linear convergence where there is any: for quick answers.
#pragma once

#include "solvers/lemke.h"

namespace carom {

struct LcpPgsOptions {
  double tolerance = 1e-8;  // of LcpReport::residual
  int max_sweeps = 10000;
  double max_seconds = std::numeric_limits<double>::infinity();
  double relaxation = 1;  // omega, in (0, 2)
};

// As solve_lcp; the z returned is the best that was looked at.
LcpReport solve_lcp_pgs(const Lcp& lcp, const std::vector<bool>& free, VectorXd& z, const LcpPgsOptions& options = {});

}  // namespace carom
