#include "solvers/nsgs.h"

#include <cmath>
#include <limits>

namespace carom {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Below this many blocks, and this many of a colour on average, `auto` keeps the natural order.
constexpr int kLarge = 2000;
constexpr int kBlocksPerColour = 100;

// From so many blocks on `auto` sweeps with momentum.
constexpr int kMany = 200;

// Contacts of spheres are visited, and what became of them is added up, in runs of so many places: fixed, so that sums
// do not depend on the number of threads.
constexpr int kRun = 128;

// Momentum is given up where a sweep moves anyone three times as far as the quietest one since it began: where contacts
// change between sticking and sliding, it can keep them doing so.
class Restlessness {
 public:
  bool grew(double change) {
    if (change > 3 * least_) {
      least_ = change;
      return true;
    }
    least_ = std::min(least_, change);
    return false;
  }

 private:
  double least_ = std::numeric_limits<double>::infinity();
};

// The calling thread's part of places [begin, end).
std::pair<int, int> share_of(int begin, int end) {
  const int team = omp_get_num_threads(), member = omp_get_thread_num();
  const auto cut = [&](int k) { return begin + static_cast<int>(std::int64_t{end - begin} * k / team); };
  return {cut(member), cut(member + 1)};
}

}  // namespace

std::string_view name_of(Ordering ordering) {
  switch (ordering) {
    case Ordering::Natural:
      return "natural";
    case Ordering::Coloured:
      return "coloured";
    case Ordering::Auto:
      return "auto";
  }
  return "unknown";
}

std::string_view name_of(MomentumUse use) {
  switch (use) {
    case MomentumUse::Off:
      return "off";
    case MomentumUse::On:
      return "on";
    case MomentumUse::Auto:
      return "auto";
  }
  return "unknown";
}

SolveReport Nsgs::solve(const ConeProblem& problem, VectorOut r) {
  make_room(problem);
  // Every contact is visited at least once: impulses that are only nearly right would let bodies at rest creep.
  if (!stop_.start(problem, options_.stop, options_.check, r, {threads()}, true)) return stop_.report();
  prepare(problem);
  sweep_until(stop_, problem, std::numeric_limits<int>::max(), r);
  return stop_.report();
}

// r <- sweep(r) until the residual is small
bool Nsgs::sweep_until(StopTest& stop, const ConeProblem& problem, int most, VectorOut r) {
  if (spheres_only_) return sweep_spheres_until(stop, problem, most, r);
  if (with_momentum_) momentum_.start(problem, {threads()}, r, stop.twists());
  Restlessness restlessness;
  const auto iterate = [&](const auto& visit_places) {
    for (int count = 0; count < most; ++count) {
      if (with_momentum_ && count > 0) momentum_.extrapolate(problem, r, stop.twists());
      const double change = sweep(problem.cones.count(), visit_places);
      if (stop.done(problem, change, r)) return true;
      if (stop.just_checked()) wake_all();
      if (with_momentum_ && restlessness.grew(change)) momentum_.start(problem, {threads()}, r, stop.twists());
    }
    return false;
  };
  const auto block_by_block = [&](const auto& others) {
    return iterate([&](int begin, int end) { return visit(begin, end, others, r.data()); });
  };
  if (contacts_only_)
    return iterate([&](int begin, int end) {
      return contacts_.visit(begin, end, options_.relaxation, settling_, r.data(), stop.twists().data());
    });
  if (problem.W.factors) return block_by_block(TwistOthers(problem, factor_rows(problem), stop.twists()));
  return block_by_block(AssembledOthers(problem, block_rows(problem)));
}

// The same on packed contacts of spheres; r is written when somebody looks at it.
bool Nsgs::sweep_spheres_until(StopTest& stop, const ConeProblem& problem, int most, VectorOut r) {
  MomentumFactor factor;
  Restlessness restlessness;
  SphereSweep::Changes changes;
  spheres_.forget();
  spheres_.read(r);
  spheres_.read(stop.twists());
  for (int count = 0; count < most; ++count) {
    if (with_momentum_ && count > 0) spheres_.extrapolate(factor.next(changes.against));
    changes = sweep_spheres(problem.cones.count());
    const double change = std::sqrt(changes.largest);
    if (restlessness.grew(change)) factor.restart();
    if (!stop.due(change)) continue;
    spheres_.write(r);
    if (stop.look(problem, change, r)) return true;
    spheres_.read(stop.twists());
  }
  if (!stop.just_checked()) spheres_.write(r);
  return false;
}

SphereSweep::Changes Nsgs::sweep_spheres(int count) {
  if (!coloured_) return spheres_.visit(0, count);
  const int colours = colouring_.colours(), team = threads();
  changes_.resize(at(count / kRun + colours));
#pragma omp parallel num_threads(team) if (team > 1)
  for (int c = 0, first_run = 0; c < colours; ++c) {
    const int begin = colouring_.first(c), end = colouring_.first(c + 1), runs = (end - begin + kRun - 1) / kRun;
    const auto [mine, not_mine] = share_of(0, runs);
    for (int run = mine; run < not_mine; ++run)
      changes_[at(first_run + run)] = spheres_.visit(begin + run * kRun, std::min(end, begin + (run + 1) * kRun));
    first_run += runs;
#pragma omp barrier
  }
  SphereSweep::Changes total;
  int runs = 0;
  for (int c = 0; c < colours; ++c) runs += (colouring_.first(c + 1) - colouring_.first(c) + kRun - 1) / kRun;
  for (int run = 0; run < runs; ++run) {
    total.largest = std::max(total.largest, changes_[at(run)].largest);
    total.against += changes_[at(run)].against;
  }
  return total;
}

// Relaxed sweeps, and those that leave settled contacts out, go the general way.
bool Nsgs::takes_spheres(const ConeProblem& problem) {
  return options_.relaxation == 1 && !options_.skip_settled && spheres_.prepare(problem, order(), {threads()});
}

void Nsgs::choose_order(const ConeProblem& problem) {
  const int count = problem.cones.count();
  const bool worth_it =
      options_.ordering == Ordering::Coloured || (options_.ordering == Ordering::Auto && count >= kLarge);
  const int most = options_.ordering == Ordering::Coloured ? count : count / kBlocksPerColour;
  coloured_ = worth_it && colouring_.colour(problem, most);
}

void Nsgs::order_rows(const ConeProblem& problem) {
  if (!coloured_) return;
  if (problem.W.factors)
    reorder_rows(problem.W.factors->rows, problem.cones, colouring_.order(), ordered_factors_);
  else
    reorder_rows(*problem.W.assembled, problem.cones, colouring_.order(), {threads()}, ordered_rows_);
}

// The block at each place of the order of visits, or nothing for the problem's own; then rows in that order.
std::span<const int> Nsgs::order() const { return coloured_ ? colouring_.order() : std::span<const int>(); }
const BlockSparse& Nsgs::block_rows(const ConeProblem& problem) const {
  return coloured_ ? ordered_rows_ : *problem.W.assembled;
}
const std::vector<FactorRow>& Nsgs::factor_rows(const ConeProblem& problem) const {
  return coloured_ ? ordered_factors_ : problem.W.factors->rows;
}

void Nsgs::make_room(const ConeProblem& problem) {
  const int count = problem.cones.count();
  if (SphereSweep::may_take(problem)) spheres_.make_room(problem);
  if (SphereSweep::may_take(problem) && !had_others_) return;
  if (options_.momentum != MomentumUse::Off) momentum_.make_room(problem);
  if (ContactSweep::takes(problem)) return contacts_.make_room(count, problem.W.factors.has_value());
  blocks_.resize(at(count));
  std::size_t entries = 0, rolling = 0;
  for (int i = 0; i < count; ++i) {
    entries += at(problem.cones.dim(i) * problem.cones.dim(i));
    if (problem.cones[i].kind == ConeKind::Rolling) ++rolling;
  }
  // Twice of what is needed now, since contacts come and go.
  if (problem.W.factors && diagonal_.capacity() < entries) diagonal_.reserve(2 * entries);
  if (rolling_.capacity() < rolling) rolling_.reserve(2 * rolling);
}

void Nsgs::prepare(const ConeProblem& problem) {
  choose_order(problem);
  with_momentum_ = options_.momentum == MomentumUse::On ||
                   (options_.momentum == MomentumUse::Auto && problem.cones.count() >= kMany);
  spheres_only_ = takes_spheres(problem);
  if (spheres_only_) return;
  had_others_ = true;
  order_rows(problem);
  settling_ = Settling{.on = options_.skip_settled};
  contacts_only_ = ContactSweep::takes(problem);
  if (!contacts_only_) return prepare_blocks(problem);
  if (problem.W.factors)
    contacts_.prepare(problem, order(), factor_rows(problem));
  else
    contacts_.prepare(problem, block_rows(problem));
}

void Nsgs::prepare_blocks(const ConeProblem& problem) {
  const Cones& cones = problem.cones;
  blocks_.resize(at(cones.count()));
  std::size_t size = 0;  // of diagonal_
  for (int i = 0; i < cones.count(); ++i) {
    const std::size_t block = at(cones.dim(i) * cones.dim(i));
    size += block * ((problem.W.factors ? 1 : 0) + (cones[i].kind == ConeKind::Free ? 1 : 0));
  }
  diagonal_.resize(size);
  rolling_.clear();
  double* storage = diagonal_.data();
  int row = 0;
  for (int place = 0; place < cones.count(); ++place) {
    const int i = coloured_ ? colouring_.order()[at(place)] : place;
    const int dim = cones.dim(i);
    Block& block = blocks_[at(place)];
    block.where = {.block = i, .offset = cones.offset(i), .place = place, .row = row};
    row += dim;
    block.cone = cones[i];
    if (problem.W.factors) {
      diagonal_block(problem.W, cones, i, storage);
      block.W_ii = storage;
      storage += dim * dim;
    } else {
      const BlockSparse& W = *problem.W.assembled;
      block.W_ii = W.values.data() + W.start[at(W.diagonal[at(i)])];
    }
    double trace = 0;
    for (int k = 0; k < dim; ++k) trace += block.W_ii[k * dim + k];
    block.velocity_per_impulse = trace / dim;
    block.elimination.inverse_nn = block.alpha = 0;
    block.settled = {};
    if (cones[i].kind == ConeKind::Rolling) {
      block.rolling = static_cast<int>(rolling_.size());
      rolling_.emplace_back();
    }
    if (cones[i].kind == ConeKind::Free) {
      pseudo_inverse(dim, block.W_ii, storage);
      block.inverse = storage;
      storage += dim * dim;
    }
  }
}

void Nsgs::wake_all() {
  if (contacts_only_) return contacts_.wake_all();
  for (Block& block : blocks_) block.settled = {};
}

// One visit to each block; returns the largest |dr_i| trace(W_ii) / dim, m/s. Each thread takes its share of a colour
// and waits for the others before the next.
template <class VisitPlaces>
double Nsgs::sweep(int count, const VisitPlaces& visit_places) {
  double largest = 0;  // squared
  if (!coloured_) {
    largest = visit_places(0, count);
  } else {
    const int team = threads();
#pragma omp parallel num_threads(team) reduction(max : largest) if (team > 1)
    for (int c = 0; c < colouring_.colours(); ++c) {
      const auto [begin, end] = share_of(colouring_.first(c), colouring_.first(c + 1));
      largest = std::max(largest, visit_places(begin, end));
#pragma omp barrier
    }
  }
  settling_.last_sweep = largest;
  return std::sqrt(largest);
}

// Solves blocks [begin, end) one after the other, each for the others as they are, unless it has settled; returns the
// largest square of a change.
template <class Others>
double Nsgs::visit(int begin, int end, const Others& others, double* r) {
  double largest = 0;
  for (int place = begin; place < end; ++place) {
    Block& block = blocks_[at(place)];
    double change = Settling::kNotSeen;
    if (!settling_.leaves_out(block.settled)) {
      switch (block.cone.dim) {
        case 3:
          change = visit<3>(block, others, r);
          break;
        case 2:
          change = visit<2>(block, others, r);
          break;
        case 1:
          change = visit<1>(block, others, r);
          break;
        case 5:
          change = visit<5>(block, others, r);
          break;
        default:
          change = visit<Eigen::Dynamic>(block, others, r);
          break;
      }
      settling_.visited(block.settled, change);
    }
    // What is not a number counts as the largest change there is.
    largest = std::max(largest, std::isnan(change) ? std::numeric_limits<double>::infinity() : change);
  }
  return largest;
}

template <int Dim, class Others>
double Nsgs::visit(Block& block, const Others& others, double* r) {
  constexpr int kSize = Dim == Eigen::Dynamic ? kMaxBlockDim : Dim;
  const int dim = Dim == Eigen::Dynamic ? block.cone.dim : Dim;
  double* r_i = r + block.where.offset;
  double q[kSize] = {}, next[kSize], dr[kSize];

  // q = q_i + sum over j != i of W_ij r_j: the block's velocity without its own impulse
  others.template velocity_without<Dim>(block.where, dim, block.W_ii, r, q);

  // next: K* contains u + s(u), next in K, (u + s(u)) . next = 0 for u = W_ii next + q
  solve_local<Dim>(block, q, next);

  // next <- P_K(r_i + omega (next - r_i))
  if (options_.relaxation != 1) {
    for (int k = 0; k < dim; ++k) next[k] = r_i[k] + options_.relaxation * (next[k] - r_i[k]);
    project(block.cone, next);
  }

  // r_i <- next, and the others learn of the difference
  double squares = 0;
  for (int k = 0; k < dim; ++k) {
    dr[k] = next[k] - r_i[k];
    r_i[k] = next[k];
    squares += dr[k] * dr[k];
  }
  others.moved(block.where, dim, dr);
  return squares * block.velocity_per_impulse * block.velocity_per_impulse;
}

template <int Dim>
void Nsgs::solve_local(Block& block, const double* q, double* r) {
  const int dim = Dim == Eigen::Dynamic ? block.cone.dim : Dim;
  const double mu = block.cone.mu;
  Elimination& e = block.elimination;
  switch (block.cone.kind) {
    case ConeKind::Coulomb:
      if (q[0] >= 0) return std::fill(r, r + dim, 0.0);
      if (e.inverse_nn == 0) e = eliminate_normal(dim, block.W_ii);
      Dim == 3 ? solve_coulomb_3d(e, mu, q, block.alpha, r) : solve_coulomb_2d(e, mu, q, r);
      return;
    case ConeKind::Associated:
      if (e.inverse_nn == 0) e = eliminate_normal(dim, block.W_ii);
      Dim == 3 ? solve_associated_3d(e, block.W_ii, mu, q, r) : solve_associated_2d(e, block.W_ii, mu, q, r);
      return;
    case ConeKind::Rolling: {
      if (q[0] >= 0) return std::fill(r, r + dim, 0.0);
      RollingElimination& own = rolling_[at(block.rolling)];
      if (own.inverse_nn == 0) own = eliminate_rolling(block.cone, block.W_ii);
      solve_rolling(block.cone, own, q, r);
      return;
    }
    case ConeKind::Orthant:
      r[0] = q[0] >= 0 ? 0.0 : -q[0] / block.W_ii[0];
      return;
    case ConeKind::Free:
      // r = -W_ii^+ q
      for (int k = 0; k < dim; ++k) {
        r[k] = 0;
        for (int l = 0; l < dim; ++l) r[k] -= block.inverse[k * dim + l] * q[l];
      }
      return;
  }
}

}  // namespace carom
