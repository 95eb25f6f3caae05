// ADMM, operator splitting (Glowinski & Marroco 1975; Boyd et al. 2011): the linear half and the cones are solved in
// turn. With v = z + y, z = P_K(v) the impulses and -R y the velocities u + s(u), which lie in K* by construction,
//
//     s = mu |(R y)_t|                            De Saxce's shift, Coulomb blocks
//     (W + R) x = R (z - y) - q - s               one factorization, one solve per iteration
//     v <- v + alpha (x - z)                      over-relaxation
//
// that is, Douglas and Rachford's iteration on the one vector v, whose fixed points x = z solve the problem. What is
// beyond the textbook was chosen by measurement on the FCLIB problems:
//
//   R             penalty * trace(W_ii)/dim per block: free of units. A first trial with a penalty near 0 finds in
//                 a few iterations the answers in which nearly all contacts stick; the usual penalty follows.
//   alpha         1 while the error falls fast by itself, since over-relaxation would then slow it to alpha - 1.
//   acceleration  Anderson's on v, with a way back to the best plain step.
//   adaptation    a long tail belongs to directions in which W is much smaller than R, so the penalty is lowered, at
//                 ever larger intervals. Balancing primal and dual residuals was tried: on the Capsules problems it
//                 raised the penalty without end, perhaps because impulses that are not unique drift.
//
// W is taken as given: where it is unsymmetric, so is the factorization.
//
//   cost of an iteration   one solve with the factors, 4 memory + 10 passes over vectors
//   memory                 W, its factors, 2 memory + 10 vectors
#pragma once

#include "solvers/anderson.h"
#include "solvers/delassus_system.h"
#include "solvers/stopping.h"

namespace carom {

// How v is extrapolated.
enum class Acceleration : std::uint8_t {
  None,
  Nesterov,  // Goldstein, O'Donoghue, Setzer & Baraniuk 2014, restarted when the error grows
  Anderson,
};
std::string_view name_of(Acceleration acceleration);
inline std::array<Acceleration, 3> choices_of(Acceleration) {
  return {Acceleration::None, Acceleration::Nesterov, Acceleration::Anderson};
}

struct AdmmOptions {
  StopOptions stop;
  double relaxation = 1.6;         // alpha in (0, 2)
  double penalty = 0.3;            // of trace(W_ii)/dim, > 0
  double sticking_penalty = 1e-3;  // of the same, tried first, >= 0
  Acceleration acceleration = Acceleration::Anderson;
  int memory = 10;  // of Anderson's acceleration, iterations, >= 1
  bool adapt_penalty = true;
  int max_factorizations = 20;  // >= 1
  CheckOptions check;

  template <class Self, class Visitor>
  static void visit(Self& o, Visitor&& visit) {
    constexpr double kNoLimit = std::numeric_limits<double>::infinity();
    StopOptions::visit(o.stop, visit);
    visit("relaxation", o.relaxation, OptionRange{.low = 0, .high = 2, .open = true}, "",
          "over-relaxation of the linear half");
    visit("penalty", o.penalty, OptionRange{.low = 0, .high = kNoLimit, .open = true}, "trace(W_ii)/dim",
          "weight that holds the linear half to the cones");
    visit("sticking_penalty", o.sticking_penalty, OptionRange{.low = 0, .high = 1}, "trace(W_ii)/dim",
          "tried first, for problems in which nearly everything sticks; 0: not tried");
    visit("acceleration", o.acceleration, OptionRange{}, "", "extrapolation of the iterates");
    visit("memory", o.memory, OptionRange{1, 100}, "iterations", "what anderson remembers");
    visit("adapt_penalty", o.adapt_penalty, OptionRange{}, "", "change the penalty when iterations become many");
    visit("max_factorizations", o.max_factorizations, OptionRange{1, 1e6}, "", "no change of penalty beyond so many");
    CheckOptions::visit(o.check, visit);
  }
};

class Admm : public Solver {
 public:
  using Options = AdmmOptions;
  static constexpr std::string_view kName = "admm";
  static constexpr ConeKinds kTakes = kAllCones;

  explicit Admm(const AdmmOptions& options = {}) : options_(options) {}

  std::string_view name() const override { return kName; }
  AdmmOptions& options() { return options_; }
  SolveReport solve(const ConeProblem& problem, VectorOut r) override;

 private:
  void prepare(const ConeProblem& problem);
  bool factor(const Cones& cones, double penalty);
  void read_guess(const ConeProblem& problem, VectorIn r);
  void first_point();
  void cone_half(const ConeProblem& problem, VectorOut z);
  double linear_half(const ConeProblem& problem, VectorIn z);
  bool change_penalty(const Cones& cones, VectorIn z);
  void advance(double error, double rate);
  void accelerate(double error);
  void extrapolate(double error);

  AdmmOptions options_;
  StopTest stop_;
  DelassusSystem system_;
  std::vector<char> all_;  // every block takes part
  Anderson anderson_;

  // Since the last factorization
  double penalty_ = 0;         // factor
  bool trying_ = false;        // the sticking penalty
  int iterations_ = 0;         // change_penalty
  double previous_error_ = 0;  // |x - z| of the iteration before
  double best_error_ = 0;      // accelerate: smallest |x - z|
  double momentum_ = 1;        // extrapolate: Nesterov's t
  // Since the beginning of the solve
  int factorizations_ = 0;  // factor
  double patience_ = 0;     // change_penalty: iterations until the next change

  // By rows
  Vector mobility_;                // prepare: trace(W_ii)/dim
  Vector R_, root_R_;              // factor: penalty * mobility
  Vector v_;                       // the iterate, z + y
  Vector y_;                       // cone_half: v - P_K(v)
  Vector shift_;                   // cone_half: s
  Vector f_;                       // linear_half: x - z
  Vector weighted_f_;              // linear_half: sqrt(R) (x - z)
  Vector guess_, guess_velocity_;  // read_guess: r and u + s(u), both 0 without a guess
  Vector plain_;                   // accelerate: the plain step from the best point. extrapolate: the last plain step
};

}  // namespace carom
