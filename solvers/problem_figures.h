// What a person wants to know of a problem and of an answer before looking at numbers one by one.
#pragma once

#include "solvers/problem.h"

namespace carom {

struct ProblemFigures {
  int contacts = 0;           // blocks that can open
  int free_blocks = 0;        // bilateral ones
  int rows = 0;               // unknowns
  std::int64_t nonzeros = 0;  // of W
  double mu_min = 0;          // over blocks with friction
  double mu_max = 0;
  double asymmetry = 0;  // max|W - W^T| / max|W|
};
ProblemFigures figures_of(const ConeProblem& problem);

// Every contact is in one of three states; where an answer is not exact, in the one it is nearest to. With m the
// mean of W_ii's diagonal, velocity per impulse,
//
//     open       m r_n < u_n
//     sliding    closed, and m (mu r_n - |r_t|) < |u_t| (or the same of mu_roll, r_m and u_m), or without friction
//     sticking   closed otherwise
struct ContactStates {
  int open = 0;
  int sticking = 0;
  int sliding = 0;
};
ContactStates count_states(const ConeProblem& problem, VectorIn r, VectorIn u);

}  // namespace carom
