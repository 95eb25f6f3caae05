#include "benchmarks/peers/siconos_solver.h"

#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsVerbose.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/timer.h"
#include "benchmarks/peers/isolated.h"

namespace carom::peers {

namespace {

constexpr int kRungs = 21;                     // native tolerances tried
constexpr double kLoosest = 1e3;               // times ours: the first of them
constexpr double kStep = 0.31622776601683794;  // from one to the next, 1 / sqrt(10)
constexpr double kRepeatedSeconds = 0.02;      // a short solve is repeated until so much is measured
constexpr double kLongSolve = 0.25;            // s: the first run is measured too
constexpr int kNever = 100000000;

double native_tolerance(double ours, int rung) { return std::min(0.5, ours * kLoosest * std::pow(kStep, rung)); }

// What a child tells of its runs; the impulses of the best one follow in the same memory.
struct Told {
  double residual = 0;
  double seconds = 0;  // median, of the run that reached the tolerance
  int iterations = 0;
  int rung = 0;  // being tried, or the one that reached the tolerance
  bool reached = false;
  bool any = false;  // some run has ended
};

SiconosVariant nsgs_variant(int local_solver, int evaluation) {
  return {.solver = SICONOS_FRICTION_3D_NSGS,
          .storage = MatrixStorage::Blocks,
          .max_iterations = kNever,
          .adjust = [=](SolverOptions& options) {
            if (local_solver != 0) solver_options_update_internal(&options, 0, local_solver);
            options.iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] = evaluation;
          }};
}

SiconosVariant newton_variant(int linear_solver, int hybrid) {
  return {.solver = SICONOS_FRICTION_3D_NSN_AC,
          .storage = MatrixStorage::Entries,
          .max_iterations = 2000,
          .adjust = [=](SolverOptions& options) {
            options.iparam[SICONOS_FRICTION_3D_NSN_LINEAR_SOLVER] = linear_solver;
            options.iparam[SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY] = hybrid;
          }};
}

SiconosVariant admm_variant(int rho) {
  return {
      .solver = SICONOS_FRICTION_3D_ADMM,
      .storage = MatrixStorage::Entries,
      .max_iterations = kNever,
      .adjust = [=](SolverOptions& options) { options.iparam[SICONOS_FRICTION_3D_ADMM_IPARAM_RHO_STRATEGY] = rho; }};
}

class SiconosSolver : public Solver {
 public:
  SiconosSolver(const SiconosPeer& peer, const SolveRequest& request) : peer_(peer), request_(request) {}
  std::string_view name() const override { return peer_.name; }
  SolveReport solve(const ConeProblem& problem, VectorOut r) override;

 private:
  // One variant up its ladder, in a child. True when it got there; r and the report are then of its run.
  bool climb(const ConeProblem& problem, std::size_t variant, int first_rung, SolveReport& report, VectorOut r);
  void climb_in_child(const ConeProblem& problem, const SiconosVariant& variant, int first_rung, Told& told,
                      double* answer) const;
  double median_of_repeats(const ConeProblem& problem, const SiconosVariant& variant, double tolerance,
                           double first) const;

  const SiconosPeer peer_;
  const SolveRequest request_;
  // Where the last solve of the same problem succeeded: the next one starts there.
  int known_variant_ = -1;
  int known_rung_ = 0;
  SolveReport best_;
  VectorXd answer_;
};

void check_is_theirs(const ConeProblem& problem) {
  for (int i = 0; i < problem.cones.count(); ++i)
    if (problem.cones[i].kind != ConeKind::Coulomb || problem.cones.dim(i) != 3)
      throw InputError({"", 0, 0, fmt::format("contact {}", i)}, "fc3d takes Coulomb contacts of dimension 3");
}

SolveReport SiconosSolver::solve(const ConeProblem& problem, VectorOut r) {
  check_is_theirs(problem);
  VectorXd trial(r.size());
  if (known_variant_ >= 0) {
    // Should the same run fail now, then for want of processor time: the first answer stands.
    SolveReport again;
    if (climb(problem, static_cast<std::size_t>(known_variant_), known_rung_, again, trial)) best_ = again;
    r = answer_;
    return best_;
  }
  answer_.setZero(r.size());
  for (std::size_t v = 0; v < peer_.variants.size(); ++v) {
    SolveReport report;
    const int rung_before = known_rung_;
    const bool reached = climb(problem, v, 0, report, trial);
    const bool faster = reached && (known_variant_ < 0 || report.seconds < best_.seconds);
    const bool nearer = known_variant_ < 0 && (v == 0 || report.residuals.natural_map < best_.residuals.natural_map);
    if (!faster && !nearer) {
      known_rung_ = rung_before;
      continue;
    }
    best_ = report;
    answer_ = trial;
    if (reached) known_variant_ = static_cast<int>(v);
  }
  r = answer_;
  return best_;
}

bool SiconosSolver::climb(const ConeProblem& problem, std::size_t variant, int first_rung, SolveReport& report,
                          VectorOut r) {
  const auto rows = static_cast<std::size_t>(problem.cones.rows());
  SharedMemory memory(sizeof(Told) + rows * sizeof(double));
  Told& told = *new (memory.data()) Told;
  double* answer = reinterpret_cast<double*>(&told + 1);
  const double start = seconds_now();
  const ChildEnd end =
      run_isolated([&] { climb_in_child(problem, peer_.variants[variant], first_rung, told, answer); });

  report.iterations = told.iterations;
  report.seconds = told.reached ? told.seconds : seconds_now() - start;
  report.residuals.natural_map = told.any ? told.residual : std::numeric_limits<double>::infinity();
  r = told.any ? VectorXd(Eigen::Map<VectorXd>(answer, r.size())) : VectorXd::Zero(r.size());
  report.message =
      fmt::format("variant {}, native tolerance {:.0e}", variant, native_tolerance(request_.tolerance, told.rung));
  if (told.reached) {
    report.status = SolveStatus::Solved;
    known_rung_ = told.rung;
    return true;
  }
  report.status = end == ChildEnd::OutOfTime ? SolveStatus::MaxTime
                  : end == ChildEnd::Crashed ? SolveStatus::NumericalError
                                             : SolveStatus::Stalled;
  if (end == ChildEnd::Crashed) report.message += "; it crashed";
  return false;
}

void SiconosSolver::climb_in_child(const ConeProblem& problem, const SiconosVariant& variant, int first_rung,
                                   Told& told, double* answer) const {
  VectorXd r(problem.cones.rows());
  for (int rung = first_rung; rung < kRungs; ++rung) {
    told.rung = rung;
    const double tolerance = native_tolerance(request_.tolerance, rung);
    limit_child(request_.max_seconds);
    const NativeRun run = run_native(problem, variant, tolerance, r);
    limit_child(0);
    const double residual = natural_map_residual(problem, r);
    if (!std::isfinite(residual)) return;  // a tighter tolerance will not mend it
    if (!told.any || residual < told.residual) {
      told.residual = residual;
      told.iterations = run.iterations;
      std::copy_n(r.data(), r.size(), answer);
      told.any = true;
    }
    if (residual > request_.tolerance) continue;
    told.seconds = run.seconds;
    told.reached = true;
    told.seconds = median_of_repeats(problem, variant, tolerance, run.seconds);
    return;
  }
}

double SiconosSolver::median_of_repeats(const ConeProblem& problem, const SiconosVariant& variant, double tolerance,
                                        double first) const {
  if (first >= kLongSolve) return first;
  VectorXd r(problem.cones.rows());
  std::vector<double> samples;
  for (double total = 0; total < kRepeatedSeconds; total += samples.back())
    samples.push_back(run_native(problem, variant, tolerance, r).seconds);
  std::sort(samples.begin(), samples.end());
  return quantile(samples, 0.5);
}

}  // namespace

std::vector<SiconosPeer> siconos_peers() {
  constexpr int kAsItComes = SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_LIGHT_WITH_FULL_FINAL;
  constexpr int kLight = SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_LIGHT;
  constexpr int kQuartic = SICONOS_FRICTION_3D_ONECONTACT_QUARTIC;
  constexpr int kProjection = SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration;
  constexpr int kMumps = SICONOS_FRICTION_3D_NSN_USE_MUMPS, kCsparse = SICONOS_FRICTION_3D_NSN_USE_CSLUSOL;
  constexpr int kPlain = SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY_NO;
  constexpr int kHybrid = SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY_VI_EG_NSN;
  return {{kSiconosDefault, {nsgs_variant(0, kAsItComes), nsgs_variant(0, kLight)}},
          {"siconos_quartic", {nsgs_variant(kQuartic, kAsItComes), nsgs_variant(kQuartic, kLight)}},
          {"siconos_pli", {nsgs_variant(kProjection, kAsItComes), nsgs_variant(kProjection, kLight)}},
          {"siconos_newton", {newton_variant(kMumps, kPlain), newton_variant(kCsparse, kPlain)}},
          {"siconos_hybrid", {newton_variant(kMumps, kHybrid), newton_variant(kCsparse, kHybrid)}},
          {"siconos_admm",
           {admm_variant(SICONOS_FRICTION_3D_ADMM_RHO_STRATEGY_CONSTANT),
            admm_variant(SICONOS_FRICTION_3D_ADMM_RHO_STRATEGY_RESIDUAL_BALANCING)}}};
}

Contender siconos_contender(const SiconosPeer& peer) {
  return {.name = peer.name,
          .takes = {ConeKind::Coulomb},
          .make = [peer](const SolveRequest& request) { return std::make_unique<SiconosSolver>(peer, request); },
          .own_clock = true};
}

NativeRun run_native(const ConeProblem& problem, const SiconosVariant& variant, double tolerance, VectorOut r) {
  const SiconosProblem theirs = to_siconos(problem, variant.storage);
  const SiconosOptions options(solver_options_create(variant.solver));
  if (variant.adjust) variant.adjust(*options);
  options->iparam[SICONOS_IPARAM_MAX_ITER] = variant.max_iterations;
  options->dparam[SICONOS_DPARAM_TOL] = tolerance;
  numerics_set_verbose(0);
  VectorXd u = VectorXd::Zero(r.size());
  r.setZero();
  const double start = seconds_now();
  fc3d_driver(theirs.get(), r.data(), u.data(), options.get());
  return {seconds_now() - start, options->iparam[SICONOS_IPARAM_ITER_DONE]};
}

}  // namespace carom::peers
