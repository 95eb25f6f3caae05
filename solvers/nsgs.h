// NSGS, nonsmooth (block) Gauss-Seidel: contacts are visited in order, and each is solved exactly with the
// impulses of all others held where they are (Jean & Moreau 1992; Jourdan, Alart & Jean 1998). Converges
// linearly and surely on what engines meet; redundant contacts (singular W) are no obstacle.
//
//   cost of a sweep       factors: two bodies read and written per block    assembled: every stored block once
//   memory                the problem, and about 200 bytes per block
#pragma once

#include "solvers/one_contact.h"
#include "solvers/stopping.h"

namespace carom {

struct NsgsOptions {
  StopOptions stop;
  double relaxation = 1;  // omega in (0, 2): r_i <- P_K(r_i + omega (solution - r_i))
  CheckOptions check;

  template <class Self, class Visitor>
  static void visit(Self& o, Visitor&& visit) {
    StopOptions::visit(o.stop, visit);
    visit("relaxation", o.relaxation, OptionRange{.low = 0, .high = 2, .open = true}, "",
          "r_i moves by this times the way to its solution, then back onto its cone");
    CheckOptions::visit(o.check, visit);
  }
};

class Nsgs : public Solver {
 public:
  using Options = NsgsOptions;
  static constexpr std::string_view kName = "nsgs";
  static constexpr ConeKinds kTakes = kAllCones;

  explicit Nsgs(const NsgsOptions& options = {}) : options_(options) {}

  std::string_view name() const override { return kName; }
  NsgsOptions& options() { return options_; }
  SolveReport solve(const ConeProblem& problem, VectorOut r) override;

 private:
  // What one visit of a block reads besides its neighbours.
  struct Block {
    Elimination elimination;  // friction blocks
    Cone cone;
    int offset = 0;                   // of the block in r, q and u
    std::ptrdiff_t diagonal = 0;      // of W_ii in diagonal_; a Free block's pseudo-inverse follows it
    double velocity_per_impulse = 0;  // trace(W_ii) / dim
  };

  void prepare(const ConeProblem& problem);
  template <class Others>
  double sweep(Others& others, VectorOut r) const;
  template <int Dim, class Others>
  double visit(int i, Others& others, double* r) const;
  template <int Dim>
  void solve_local(const Block& block, const double* q, double* r) const;

  NsgsOptions options_;
  StopTest stop_;
  std::vector<Block> blocks_;
  std::vector<double> diagonal_;  // W_ii of all blocks, row-major
};

}  // namespace carom
