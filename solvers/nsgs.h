// NSGS, nonsmooth (block) Gauss-Seidel: contacts are visited in order, and each is solved exactly with the
// impulses of all others held where they are (Jean & Moreau 1992; Jourdan, Alart & Jean 1998). Converges
// linearly and surely on what engines meet; redundant contacts (singular W) are no obstacle.
//
//   cost of a sweep       factors: two bodies read and written per block    assembled: every stored block once
//   memory                the problem, and about 200 bytes per block; once more W or H when the order is coloured,
//                         unless there are contacts of spheres only
//
// In the coloured order, contacts that do not act on each other are visited together, by as many threads as there are.
// The bits of the answer do not depend on how many.
#pragma once

#include "solvers/colouring.h"
#include "solvers/contact_sweep.h"
#include "solvers/momentum.h"
#include "solvers/one_contact.h"
#include "solvers/other_blocks.h"
#include "solvers/rolling_contact.h"
#include "solvers/sphere_sweep.h"
#include "solvers/stopping.h"

namespace carom {

enum class Ordering : std::uint8_t {
  Natural,   // the problem's own
  Coloured,  // by colour (solvers/colouring.h)
  Auto,      // coloured where the problem is large and few colours suffice
};
std::string_view name_of(Ordering ordering);  // "natural", "coloured", "auto"
inline std::array<Ordering, 3> choices_of(Ordering) { return {Ordering::Natural, Ordering::Coloured, Ordering::Auto}; }

enum class MomentumUse : std::uint8_t {
  Off,
  On,
  Auto,  // on where there are many blocks
};
std::string_view name_of(MomentumUse use);  // "off", "on", "auto"
inline std::array<MomentumUse, 3> choices_of(MomentumUse) {
  return {MomentumUse::Off, MomentumUse::On, MomentumUse::Auto};
}

struct NsgsOptions {
  StopOptions stop = {};
  MomentumUse momentum = MomentumUse::Auto;
  double relaxation = 1;  // omega in (0, 2): r_i <- P_K(r_i + omega (solution - r_i))
  bool skip_settled = false;
  Ordering ordering = Ordering::Auto;
  int threads = 1;
  CheckOptions check = {};

  template <class Self, class Visitor>
  static void visit(Self& o, Visitor&& visit) {
    StopOptions::visit(o.stop, visit);
    visit("momentum", o.momentum, OptionRange{}, "",
          "sweeps begin ahead of where the last one ended (Nesterov); auto: where there are many blocks");
    visit("relaxation", o.relaxation, OptionRange{.low = 0, .high = 2, .open = true}, "",
          "r_i moves by this times the way to its solution, then back onto its cone");
    visit("skip_settled", o.skip_settled, OptionRange{}, "",
          "contacts that hardly move any more are visited only now and then, until a check finds them wrong");
    visit("ordering", o.ordering, OptionRange{}, "", "of the visits; auto: coloured where large and few colours do");
    visit("threads", o.threads, OptionRange{1, 1024}, "", "at work in the coloured order; changes no bit");
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
  void offer_threads(Threads threads) override { offered_ = threads; }
  SolveReport solve(const ConeProblem& problem, VectorOut r) override;

  // For solvers that begin with sweeps: prepare once, then sweep under the caller's own stop test, at most so many
  // times. True when that ended the solve.
  void make_room(const ConeProblem& problem);  // even when there is nothing to solve: the next step may need it
  void prepare(const ConeProblem& problem);
  bool sweep_until(StopTest& stop, const ConeProblem& problem, int most, VectorOut r);

 private:
  // What one visit of a block reads besides its neighbours.
  struct Block {
    Visited where;
    Cone cone;
    const double* W_ii = nullptr;     // row-major
    const double* inverse = nullptr;  // of a Free block
    double velocity_per_impulse = 0;  // trace(W_ii) / dim
    double alpha = 0;                 // of the last slip
    Elimination elimination;          // of a friction block, at its first visit with an impulse
    int rolling = -1;                 // of a Rolling block: its place in rolling_
    Settled settled;
  };

  void choose_order(const ConeProblem& problem);
  void order_rows(const ConeProblem& problem);
  std::span<const int> order() const;
  const BlockSparse& block_rows(const ConeProblem& problem) const;
  const std::vector<FactorRow>& factor_rows(const ConeProblem& problem) const;
  void prepare_blocks(const ConeProblem& problem);
  void wake_all();
  bool takes_spheres(const ConeProblem& problem);
  template <class VisitPlaces>
  double sweep(int count, const VisitPlaces& visit_places);
  bool sweep_spheres_until(StopTest& stop, const ConeProblem& problem, int most, VectorOut r);
  SphereSweep::Changes sweep_spheres(int count);
  template <class Others>
  double visit(int begin, int end, const Others& others, double* r);
  template <int Dim, class Others>
  double visit(Block& block, const Others& others, double* r);
  template <int Dim>
  void solve_local(Block& block, const double* q, double* r);

  int threads() const { return std::max(options_.threads, offered_.count); }

  NsgsOptions options_;
  Threads offered_;
  StopTest stop_;
  Settling settling_;
  bool with_momentum_ = false;
  Momentum momentum_;
  bool spheres_only_ = false;
  bool had_others_ = false;                    // problems that looked like spheres' and were not
  SphereSweep spheres_;                        // where there are contacts of spheres only
  std::vector<SphereSweep::Changes> changes_;  // of runs of places, in their order
  bool contacts_only_ = false;
  ContactSweep contacts_;                    // where there are 3D Coulomb contacts only
  std::vector<Block> blocks_;                // in the order of visits
  std::vector<double> diagonal_;             // W_ii of all blocks where W has factors, and inverses of Free ones
  std::vector<RollingElimination> rolling_;  // of Rolling blocks, at their first visit with an impulse
  bool coloured_ = false;
  Colouring colouring_;
  BlockSparse ordered_rows_;                // assembled W in the coloured order
  std::vector<FactorRow> ordered_factors_;  // H in the coloured order
};

}  // namespace carom
