// The visits of a Gauss-Seidel sweep where every block is a 3D contact with Coulomb friction: the problems of most
// files and scenes, on either body of the Delassus operator. The same mathematics as Nsgs::visit, with a contact's
// three numbers side by side in one register and two shortcuts:
//
//   sticking   r = -W_ii^-1 u by a stored inverse where W_ii is well conditioned
//   sliding    the scalar equation starts from the last visit's root
//
// The rest is solvers/one_contact.h. What a visit reads besides the others is packed in two cache lines per contact.
#pragma once

#include "solvers/one_contact.h"
#include "solvers/problem.h"
#include "solvers/settling.h"

namespace carom {

class ContactSweep {
 public:
  static bool takes(const ConeProblem& problem);

  void make_room(int contacts, bool factors);
  // `order`: the block at each place of the order of visits, empty for the natural one; `rows`: block rows of W, or
  // rows of H, in that order. Columns of W are still blocks of the problem. All must outlive the visits.
  void prepare(const ConeProblem& problem, const BlockSparse& rows);
  void prepare(const ConeProblem& problem, std::span<const int> order, const std::vector<FactorRow>& rows);

  // Visits places [begin, end); returns the square of the largest |dr_i| trace(W_ii) / 3 or infinity if one is not a
  // number. With factors, v = M^-1 H^T r follows r. Threads may visit different contacts that do not act on each other.
  double visit(int begin, int end, double relaxation, const Settling& settling, double* r, Twist* v);
  void wake_all();
  bool leave_vectors_out = false;  // runs the code for any machine on this one: the same bits, for tests

  struct alignas(64) Contact {
    double numbers[14];  // q_i, -W_ii^-1 by columns, mu, trace(W_ii) / 3
    int block = 0;       // in the problem
    int diagonal = 0;    // block of W_ii where W is assembled
    Settled settled;
  };
  // A contact that is neither open nor known to stick.
  void solve_any(int place, const double* u, double* r);

 private:
  // What only sliding needs.
  struct Slide {
    Elimination elimination;
    double alpha = 0;  // of the last slip
  };
  void prepare(const ConeProblem& problem, int place, int block, const double* W_ii);
  const double* diagonal_block(int place) const;

  const DelassusFactors* factors_ = nullptr;
  const FactorRow* factor_rows_ = nullptr;
  const BlockSparse* block_rows_ = nullptr;
  std::vector<Contact> contacts_;  // these in the order of visits
  std::vector<Slide> slides_;
  std::vector<double> diagonal_;  // W_ii where W has factors
};

}  // namespace carom
