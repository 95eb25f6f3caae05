#include "solvers/auto_solver.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace carom {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Costs in nanoseconds of one core, fitted to the shared problems; only their ratios matter.
double sweep_cost(double contacts, double blocks, bool factors) {
  return 60 * contacts + (factors ? 60 * contacts : 5 * blocks);
}
// Of newton's usual six iterations on a small part
double small_part_cost(double contacts, double blocks) { return 6 * (500 * contacts + 90 * blocks); }
// Of a factorization or two of a large one, among contacts or among bodies: at least, and for each product of tiles
double large_part_cost(double contacts, double blocks) { return 500 * contacts + 300 * blocks; }
double large_part_cost_by_bodies(double contacts) { return 3000 * contacts; }
constexpr double kTileProduct = 4.4;
constexpr double kFactorizations = 1.5;
// Of assembling a block of W from factors, and of finding an order of elimination
constexpr double kAssembledBlock = 150, kOrderedBlock = 100;
// Times its cost: what must be at stake. Deep piles never pay, walls and towers soon do.
double worth_an_order(int contacts) { return contacts < 2000 ? 3 : 10; }
constexpr double kMostTiles = 1e7;   // of L and U, 96 bytes each
constexpr double kMostBlocks = 5e6;  // of an assembled W, 72 bytes each
constexpr double kMostBlocksOnceMore = 1e5;

constexpr int kFirstSweeps = 10, kMostSweepsAtOnce = 640;
constexpr int kMostSweeps = 2000;  // where a direct solve can be had
constexpr double kSafety = 0.9;    // of a part's share of the tolerance, so that rounding does not spoil the sum

}  // namespace

SolveReport Auto::solve(const ConeProblem& problem, VectorOut r) {
  const CheckOptions checks{.check_every = 25, .stall_checks = 0, .record_history = options_.record_history};
  // In a simulation every contact is visited at least once: impulses that are only nearly right would let bodies at
  // rest creep.
  const bool visit_once = options_.stop.measure == Measure::Velocity;
  nsgs_.make_room(problem);
  tally_.clear();
  components_.clear();
  sweeps_ = 0;
  halted_ = false;
  if (stop_.start(problem, options_.stop, checks, r, threads(), visit_once)) {
    nsgs_.options().threads = threads().count;
    nsgs_.prepare(problem);
    int sweeps = kFirstSweeps;
    while (!sweep(problem, sweeps, r) && !solve_parts(problem, sweeps, r))
      sweeps = std::min(2 * sweeps, kMostSweepsAtOnce);
  }
  SolveReport report = stop_.report();
  report.stages = tally_.stages();
  report.parts = components_.count();
  report.iterations = tally_.iterations();
  return report;
}

double Auto::seconds_left() const {
  if (!std::isfinite(options_.stop.max_seconds)) return kInfinity;
  return std::max(0.0, options_.stop.max_seconds - stop_.seconds());
}

// True when that ended the solve.
bool Auto::sweep(const ConeProblem& problem, int most, VectorOut r) {
  const int before = stop_.iterations();
  const bool ended = nsgs_.sweep_until(stop_, problem, most, r);
  tally_.add(Nsgs::kName, stop_.iterations() - before, 0);
  sweeps_ = stop_.iterations();
  // Sweeps that came to a halt are no end: other methods go on from their best point.
  halted_ = ended && (stop_.status() == SolveStatus::Stalled || stop_.status() == SolveStatus::NumericalError);
  if (halted_) return false;
  return ended || (!stop_.just_checked() && stop_.check_now(problem, r));
}

// After so many sweeps at a time. True when that ended the solve.
bool Auto::solve_parts(const ConeProblem& problem, int sweeps, VectorOut r) {
  if (components_.count() == 0) find_parts(problem);
  measure_parts(problem, r, stop_.velocity());
  bool changed = false, more_sweeps = false;
  small_.clear();
  for (int c = 0; c < components_.count() && seconds_left() > 0; ++c) {
    Part& part = parts_[at(c)];
    const double before = std::exchange(part.error, errors_[at(c)]);
    if (part.given_up || part.error <= kSafety) continue;
    if (!direct_pays(problem, c, before, sweeps, r)) {
      more_sweeps = true;
      continue;
    }
    changed = true;
    if (components_.size(c) <= SmallExact::kMostBlocks)
      small_.push_back(c);
    else
      part.given_up = !solve_directly(problem, c, workers_.front(), tally_, r);
  }
  solve_small(problem, threads(), r);
  if (changed && stop_.check_now(problem, r)) return true;
  if (more_sweeps && !halted_) return false;
  stop_.give_up(problem, SolveStatus::Stalled, "no method reached the tolerance", r);
  return true;
}

void Auto::find_parts(const ConeProblem& problem) {
  finder_.find(problem, components_);
  workers_.resize(at(threads().count));
  for (Worker& worker : workers_) worker.copied = -1;
  parts_.assign(at(components_.count()), Part{});
  norm_q_ = problem.q.norm();
  if (norm_q_ == 0) norm_q_ = 1;
  // blocks of W: stored ones, or for each body as many as blocks on it squared
  if (problem.W.factors) {
    list_actions(*problem.W.factors, actions_);
    part_of_.resize(at(problem.cones.count()));
    for (int c = 0; c < components_.count(); ++c) {
      for (int b = components_.first[at(c)]; b < components_.first[at(c + 1)]; ++b)
        part_of_[at(components_.blocks[at(b)])] = c;
    }
    for (std::size_t body = 0; body + 1 < actions_.first.size(); ++body) {
      if (actions_.first[body] < actions_.first[body + 1])
        ++parts_[at(part_of_[at(actions_.actions[at(actions_.first[body])] / 2)])].bodies;
    }
    for (int c = 0; c < components_.count(); ++c) {
      for (int b = components_.first[at(c)]; b < components_.first[at(c + 1)]; ++b) {
        for (const int body : problem.W.factors->bodies[at(components_.blocks[at(b)])])
          if (body >= 0) parts_[at(c)].blocks += actions_.first[at(body + 1)] - actions_.first[at(body)];
      }
    }
  } else {
    const BlockSparse& W = *problem.W.assembled;
    for (int c = 0; c < components_.count(); ++c) {
      for (int b = components_.first[at(c)]; b < components_.first[at(c + 1)]; ++b) {
        const int i = components_.blocks[at(b)];
        parts_[at(c)].blocks += W.first[at(i + 1)] - W.first[at(i)];
      }
    }
  }
}

// How far each part is from its law, relative to the share of the tolerance that it may have: errors add up in squares,
// so that is by the number of its blocks; velocity errors do not add up.
void Auto::measure_parts(const ConeProblem& problem, VectorIn r, VectorIn u) {
  const Cones& cones = problem.cones;
  const bool by_velocity = options_.stop.measure == Measure::Velocity;
  errors_.resize(at(components_.count()));
  double map[kMaxBlockDim], diagonal[kMaxBlockDim];
  for (int c = 0; c < components_.count(); ++c) {
    double squares = 0, worst = 0;
    for (int b = components_.first[at(c)]; b < components_.first[at(c + 1)]; ++b) {
      const int i = components_.blocks[at(b)], offset = cones.offset(i), dim = cones.dim(i);
      double rho = 1;
      if (by_velocity) {
        diagonal_entries(problem.W, cones, i, diagonal);
        double trace = 0;
        for (int k = 0; k < dim; ++k) trace += diagonal[k];
        if (trace > 0) rho = dim / trace;
      }
      natural_map(cones[i], r.data() + offset, u.data() + offset, rho, map);
      double square = 0;
      for (int k = 0; k < dim; ++k) square += map[k] * map[k];
      squares += square;
      worst = std::max(worst, std::sqrt(square) / rho);
    }
    const double share = components_.size(c) / static_cast<double>(cones.count());
    errors_[at(c)] = (by_velocity ? worst : std::sqrt(squares / share) / norm_q_) / options_.stop.tolerance;
  }
}

// The part's error went from `before` to what it is in so many sweeps: what costs more, the sweeps that are left or a
// direct solve?
bool Auto::direct_pays(const ConeProblem& problem, int c, double before, int sweeps, VectorIn r) {
  const Part& part = parts_[at(c)];
  const int size = components_.size(c);
  if (halted_ || sweeps_ >= kMostSweeps) return direct_cost(problem, c, kInfinity, r) < kInfinity;
  if (!std::isfinite(before)) return size <= SmallExact::kMostBlocks;
  const double rate = std::log(before / part.error) / sweeps;
  const double most = std::max(0, options_.stop.max_iterations - sweeps_);
  const double left = rate > 0 ? std::min(most, std::log(part.error / kSafety) / rate) : most;
  const double by_sweeps = left * sweep_cost(size, part.blocks, part.bodies > 0);
  return by_sweeps > direct_cost(problem, c, by_sweeps, r);
}

// At most, in nanoseconds; infinity where it cannot be had, or where finding out costs too much of what it is worth.
double Auto::direct_cost(const ConeProblem& problem, int c, double worth, VectorIn r) {
  Part& part = parts_[at(c)];
  if (part.direct >= 0) return part.direct;
  const int size = components_.size(c);
  const bool by_bodies = part.bodies > 0 && DelassusSystem::by_bodies(part.bodies, size);
  const double assembly = part.bodies == 0 || by_bodies ? 0 : kAssembledBlock * part.blocks;
  const double order = kOrderedBlock * (by_bodies ? 4.0 * (part.bodies + 2 * size) : part.blocks);
  if (size < PartSolver::kLargePart) return part.direct = small_part_cost(size, part.blocks) + assembly;
  const double least = by_bodies ? large_part_cost_by_bodies(size) : large_part_cost(size, part.blocks) + assembly;
  if (!by_bodies && part.blocks > kMostBlocks) return part.direct = kInfinity;
  if (worth < least || worth < worth_an_order(size) * (assembly + order)) return kInfinity;
  fill_.prepare(part_problem(problem, c, workers_.front(), r));
  if (fill_.expected_tiles() > kMostTiles) return part.direct = kInfinity;
  return part.direct = least + kFactorizations * kTileProduct * fill_.expected_products();
}

// Component c, with W assembled unless its linear systems are those of bodies.
const ConeProblem& Auto::part_problem(const ConeProblem& problem, int c, Worker& worker, VectorIn r) const {
  PartCopy& copy = worker.copy;
  if (worker.copied != c) copy.extract(problem, components_, c, r);
  worker.copied = c;
  if (components_.size(c) <= SmallExact::kMostBlocks || !DelassusSystem::by_bodies(copy.problem)) copy.assemble();
  return copy.problem;
}

// The parts of few blocks, a share of them by each thread. What becomes of a part depends on it alone.
void Auto::solve_small(const ConeProblem& problem, Threads threads, VectorOut r) {
  constexpr std::size_t kFew = 16;  // not worth waking threads up
  const int team = small_.size() < kFew ? 1 : threads.count;
  small_tallies_.assign(small_.size(), Tally());
  LowestFailure failure;
#pragma omp parallel for num_threads(team) schedule(static) if (team > 1)
  for (std::size_t k = 0; k < small_.size(); ++k) {
    try {
      const int c = small_[k];
      Worker& worker = workers_[at(omp_get_thread_num())];
      parts_[at(c)].given_up = !solve_directly(problem, c, worker, small_tallies_[k], r);
    } catch (...) {
      failure.record(static_cast<std::ptrdiff_t>(k));
    }
  }
  failure.rethrow();
  for (const Tally& tally : small_tallies_) tally_.add(tally);
}

bool Auto::solve_directly(const ConeProblem& problem, int c, Worker& worker, Tally& tally, VectorOut r) const {
  auto& [copy, copied, direct] = worker;
  part_problem(problem, c, worker, r);
  copy.read(problem.cones, components_, c, r);
  StopOptions stop = options_.stop;
  stop.max_seconds = seconds_left();
  stop.tolerance *= kSafety;
  if (options_.stop.measure == Measure::NaturalMap) {
    const double norm_part = copy.problem.q.norm();
    const double share = std::sqrt(components_.size(c) / static_cast<double>(problem.cones.count()));
    stop.tolerance *= share * norm_q_ / (norm_part > 0 ? norm_part : 1.0);
  }
  bool solved = direct.solve(copy.problem, stop, copy.r, tally);
  if (!solved && DelassusSystem::by_bodies(copy.problem) && parts_[at(c)].blocks <= kMostBlocksOnceMore) {
    // among contacts fewer digits are lost
    copy.assemble();
    copy.problem.W.factors.reset();
    copied = -1;
    stop.max_seconds = seconds_left();
    solved = direct.solve(copy.problem, stop, copy.r, tally);
  }
  stop.max_seconds = seconds_left();
  if (!solved) solved = direct.insist(copy.problem, stop, copy.r, tally);
  copy.insert(problem.cones, components_, c, r);
  return solved;
}

}  // namespace carom
