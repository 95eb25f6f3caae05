#include "solvers/nsgs.h"

#include <cmath>
#include <limits>

namespace carom {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Below this many blocks, and this many of a colour on average, `auto` keeps the natural order.
constexpr int kLarge = 2000;
constexpr int kBlocksPerColour = 100;

// A block is settled after so many visits in a row that moved it by less than this part of what the sweep before moved
// anyone; then it is left out of so many sweeps.
constexpr int kQuietVisits = 3;
constexpr double kQuiet = 1e-3;
constexpr int kSleep = 7;

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

SolveReport Nsgs::solve(const ConeProblem& problem, VectorOut r) {
  blocks_.resize(at(problem.cones.count()));  // even when there is nothing to solve: the next step may need them
  if (problem.W.factors) diagonal_.resize(at(problem.cones.count()) * 9);
  // Every contact is visited at least once: impulses that are only nearly right would let bodies at rest creep.
  if (!stop_.start(problem, options_.stop, options_.check, r, {options_.threads}, true)) return stop_.report();
  prepare(problem);
  sweep_until(stop_, problem, std::numeric_limits<int>::max(), r);
  return stop_.report();
}

// r <- sweep(r) until the residual is small
bool Nsgs::sweep_until(StopTest& stop, const ConeProblem& problem, int most, VectorOut r) {
  const auto iterate = [&](const auto& others) {
    for (int count = 0; count < most; ++count) {
      if (stop.done(problem, sweep(others, r), r)) return true;
      if (stop.just_checked()) wake_all();
    }
    return false;
  };
  if (problem.W.factors)
    return iterate(TwistOthers(problem, coloured_ ? ordered_factors_ : problem.W.factors->rows, stop.twists()));
  return iterate(AssembledOthers(problem, coloured_ ? ordered_rows_ : *problem.W.assembled));
}

void Nsgs::choose_order(const ConeProblem& problem) {
  const int count = problem.cones.count();
  const bool worth_it =
      options_.ordering == Ordering::Coloured || (options_.ordering == Ordering::Auto && count >= kLarge);
  const int most = options_.ordering == Ordering::Coloured ? count : count / kBlocksPerColour;
  coloured_ = worth_it && colouring_.colour(problem, most);
  if (!coloured_) return;
  if (problem.W.factors)
    reorder_rows(problem.W.factors->rows, problem.cones, colouring_.order(), ordered_factors_);
  else
    reorder_rows(*problem.W.assembled, problem.cones, colouring_.order(), {options_.threads}, ordered_rows_);
}

void Nsgs::prepare(const ConeProblem& problem) {
  choose_order(problem);
  const Cones& cones = problem.cones;
  blocks_.resize(at(cones.count()));
  std::size_t size = 0;  // of diagonal_
  for (int i = 0; i < cones.count(); ++i) {
    const std::size_t block = at(cones.dim(i) * cones.dim(i));
    size += block * ((problem.W.factors ? 1 : 0) + (cones[i].kind == ConeKind::Free ? 1 : 0));
  }
  diagonal_.resize(size);
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
    block.elimination.inverse_nn = 0;
    if (cones[i].kind == ConeKind::Free) {
      pseudo_inverse(dim, block.W_ii, storage);
      block.inverse = storage;
      storage += dim * dim;
    }
  }
  wake_all();
  largest_change_ = std::numeric_limits<double>::infinity();
}

void Nsgs::wake_all() {
  for (Block& block : blocks_) block.quiet = block.asleep = 0;
}

// One visit to each block; returns the largest |dr_i| trace(W_ii) / dim, m/s.
template <class Others>
double Nsgs::sweep(const Others& others, VectorOut r) {
  double largest = 0;  // squared
  if (coloured_) {
    for (int c = 0; c < colouring_.colours(); ++c) {
      const int begin = colouring_.first(c), end = colouring_.first(c + 1);
#pragma omp parallel for num_threads(options_.threads) schedule(static) reduction(max \
                                                                                  : largest) if (options_.threads > 1)
      for (int place = begin; place < end; ++place)
        largest = std::max(largest, visit(blocks_[at(place)], others, r.data()));
    }
  } else {
    for (Block& block : blocks_) largest = std::max(largest, visit(block, others, r.data()));
  }
  largest_change_ = largest;
  return std::sqrt(largest);
}

// Solves one block for the others as they are, unless it is asleep; returns the square of its change.
template <class Others>
double Nsgs::visit(Block& block, const Others& others, double* r) const {
  if (block.asleep > 0) {
    --block.asleep;
    return std::numeric_limits<double>::min();  // not at rest: nobody looked
  }
  double change = 0;
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
    default:
      change = visit<Eigen::Dynamic>(block, others, r);
      break;
  }
  if (options_.skip_settled) {
    block.quiet = change <= kQuiet * kQuiet * largest_change_ ? block.quiet + 1 : 0;
    if (block.quiet >= kQuietVisits) block.asleep = kSleep;
  }
  // What is not a number counts as the largest change there is.
  return std::isnan(change) ? std::numeric_limits<double>::infinity() : change;
}

template <int Dim, class Others>
double Nsgs::visit(Block& block, const Others& others, double* r) const {
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
void Nsgs::solve_local(Block& block, const double* q, double* r) const {
  const int dim = Dim == Eigen::Dynamic ? block.cone.dim : Dim;
  const double mu = block.cone.mu;
  Elimination& e = block.elimination;
  switch (block.cone.kind) {
    case ConeKind::Coulomb:
      if (q[0] >= 0) return std::fill(r, r + dim, 0.0);
      if (e.inverse_nn == 0) e = eliminate_normal(dim, block.W_ii);
      Dim == 3 ? solve_coulomb_3d(e, mu, q, r) : solve_coulomb_2d(e, mu, q, r);
      return;
    case ConeKind::Associated:
      if (e.inverse_nn == 0) e = eliminate_normal(dim, block.W_ii);
      Dim == 3 ? solve_associated_3d(e, block.W_ii, mu, q, r) : solve_associated_2d(e, block.W_ii, mu, q, r);
      return;
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
