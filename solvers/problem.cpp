#include "solvers/problem.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "solvers/row_sum.h"

namespace carom {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr double kLargest = std::numeric_limits<double>::max();

[[noreturn]] void reject(const std::string& item, const std::string& problem, const std::string& value = {}) {
  throw InputError(Place{.file = {}, .line = 0, .column = 0, .item = item}, problem, value);
}
[[noreturn]] void reject_contact(int i, const std::string& problem, const std::string& value = {}) {
  reject(fmt::format("contact {}", i), problem, value);
}

bool all_finite(const double* x, std::ptrdiff_t n) {
  // 0 x is 0 unless x is infinite or not a number
  return (0.0 * Eigen::Map<const VectorXd>(x, n)).sum() == 0;
}

void check_cone(int i, const Cone& cone) {
  const bool frictional = kFrictionCones.contains(cone.kind), rolling = cone.kind == ConeKind::Rolling;
  const int smallest = frictional ? 2 : 1;
  const int largest = frictional ? 3 : cone.kind == ConeKind::Orthant ? 1 : kMaxBlockDim;
  if (rolling && cone.dim != 3 && cone.dim != 5)
    reject_contact(i, "a rolling block has 3 or 5 rows", fmt::format("dim = {}", cone.dim));
  if (cone.dim < smallest || cone.dim > largest)
    reject_contact(i, fmt::format("a {} block has {} to {} rows", name_of(cone.kind), smallest, largest),
                   fmt::format("dim = {}", cone.dim));
  if ((frictional || rolling) && !(cone.mu >= 0 && std::isfinite(cone.mu)))
    reject_contact(i, "the friction coefficient must be finite and not negative", fmt::format("mu = {}", cone.mu));
  if (rolling && !(cone.mu_roll >= 0 && std::isfinite(cone.mu_roll)))
    reject_contact(i, "the coefficient of rolling friction must be finite and not negative",
                   fmt::format("mu_roll = {}", cone.mu_roll));
}

void check_sizes(const ConeProblem& problem) {
  const Cones& cones = problem.cones;
  if (problem.q.size() != cones.rows())
    reject("q", fmt::format("the cones have {} rows", cones.rows()), fmt::format("size {}", problem.q.size()));
  if (cones.count() > 0 && problem.W.empty()) reject("W", "neither factors nor assembled blocks are given");
  if (const auto& factors = problem.W.factors) {
    if (factors->bodies.size() != at(cones.count()))
      reject("W.factors.bodies", fmt::format("there are {} contacts", cones.count()),
             fmt::format("size {}", factors->bodies.size()));
    if (factors->rows.size() != at(cones.rows()))
      reject("W.factors.rows", fmt::format("the cones have {} rows", cones.rows()),
             fmt::format("size {}", factors->rows.size()));
    if (!factors->compliance.empty() && factors->compliance.size() != at(cones.rows()))
      reject("W.factors.compliance", fmt::format("the cones have {} rows", cones.rows()),
             fmt::format("size {}", factors->compliance.size()));
  }
  if (const auto& blocks = problem.W.assembled) {
    const std::size_t n = at(cones.count());
    if (blocks->first.size() != n + 1 || blocks->diagonal.size() != n || blocks->first[0] != 0)
      reject("W.assembled", fmt::format("there are {} contacts", n), fmt::format("{} rows", blocks->diagonal.size()));
    if (blocks->start.size() != blocks->column.size() || at(blocks->first.back()) != blocks->column.size())
      reject("W.assembled", "columns and starts do not match the rows",
             fmt::format("{} columns", blocks->column.size()));
  }
}

void check_inverse_masses(const DelassusFactors& factors) {
  for (std::size_t b = 0; b < factors.inverse_mass.size(); ++b) {
    const InverseMass& m = factors.inverse_mass[b];
    if (!(m.linear >= 0) || !std::isfinite(m.linear))
      reject(fmt::format("body {}", b), "the inverse mass must be finite and not negative",
             fmt::format("{}", m.linear));
    if (!all_finite(m.angular.data(), 9)) reject(fmt::format("body {}", b), "the inverse inertia is not finite");
  }
}

void check_factors(const DelassusFactors& factors, const Cones& cones, int i) {
  const auto [a, b] = factors.bodies[at(i)];
  const int bodies = static_cast<int>(factors.inverse_mass.size());
  if (a < -1 || b < -1 || a >= bodies || b >= bodies)
    reject_contact(i, fmt::format("there are {} bodies", bodies), fmt::format("bodies {} and {}", a, b));
  if (a == b && a >= 0) reject_contact(i, "a body cannot touch itself", fmt::format("bodies {} and {}", a, b));
  for (int k = 0; k < cones.dim(i); ++k) {
    const FactorRow& row = factors.rows[at(cones.offset(i) + k)];
    if (!row.linear.allFinite() || !row.angular_a.allFinite() || !row.angular_b.allFinite())
      reject_contact(i, fmt::format("row {} of H is not finite", k));
    if (factors.compliance.empty()) continue;
    const double compliance = factors.compliance[at(cones.offset(i) + k)];
    if (!(compliance >= 0) || !std::isfinite(compliance))
      reject_contact(i, "the compliance of a row must be finite and not negative", fmt::format("{}", compliance));
  }
}

void check_block_row(const BlockSparse& W, const Cones& cones, int i, bool known_finite) {
  const int begin = W.first[at(i)], end = W.first[at(i + 1)], d = W.diagonal[at(i)];
  if (end < begin || at(end) > W.column.size() || d < begin || d >= end || W.column[at(d)] != i)
    reject_contact(i, "the row of W has no diagonal block");
  for (int e = begin; e < end; ++e) {
    const int j = W.column[at(e)];
    if (j < 0 || j >= cones.count() || (e > begin && j <= W.column[at(e - 1)]))
      reject_contact(i, "columns of W must increase and be contacts", fmt::format("column {}", j));
    const std::ptrdiff_t size = cones.dim(i) * cones.dim(j);
    if (W.start[at(e)] < 0 || W.start[at(e)] + size > static_cast<std::ptrdiff_t>(W.values.size()))
      reject_contact(i, "a block of W lies outside its values", fmt::format("column {}", j));
    if (!known_finite && !all_finite(W.values.data() + W.start[at(e)], size))
      reject_contact(i, "W is not finite", fmt::format("block ({}, {})", i, j));
  }
}

// W_kk: the normal one of a unilateral block must be positive, the others not negative beyond rounding.
void check_diagonal(const DelassusOperator& W, const Cones& cones, int i) {
  double entries[kMaxBlockDim];
  diagonal_entries(W, cones, i, entries);
  double largest = 0;
  for (int k = 0; k < cones.dim(i); ++k) largest = std::max(largest, std::abs(entries[k]));
  for (int k = 0; k < cones.dim(i); ++k) {
    const double entry = entries[k];
    if (!std::isfinite(entry))
      reject_contact(i, "the diagonal of W is not finite", fmt::format("W({0}, {0}) = {1}", k, entry));
    if (k == 0 && cones[i].kind != ConeKind::Free && !(entry > 0))
      reject_contact(i, "the normal entry of W must be positive", fmt::format("W(0, 0) = {}", entry));
    if (entry < -1e-12 * largest)
      reject_contact(i, "the diagonal of W must not be negative", fmt::format("W({0}, {0}) = {1}", k, entry));
  }
}

// What most files hold, 3x3 blocks and nothing wrong with them, in one pass without early exits. False: look closer.
bool plainly_well_posed(const ConeProblem& problem) {
  const Cones& cones = problem.cones;
  const std::size_t n = at(cones.count());
  if (problem.W.factors || !problem.W.assembled || n == 0) return false;
  const BlockSparse& W = *problem.W.assembled;
  if (W.first.size() != n + 1 || W.diagonal.size() != n || problem.q.size() != cones.rows()) return false;
  if (W.start.size() != W.column.size() || W.first[0] != 0 || at(W.first[n]) != W.column.size() ||
      W.values.size() != 9 * W.column.size())
    return false;
  bool good = true;
  for (int i = 0; i < cones.count(); ++i) {
    const Cone& cone = cones[i];
    good &= cone.kind == ConeKind::Coulomb && cone.dim == 3 && cone.mu >= 0 && cone.mu < kLargest;
    good &= W.first[at(i)] <= W.first[at(i + 1)];
  }
  if (!good || !only_3x3(W, cones)) return false;
  for (int i = 0; i < cones.count(); ++i) {
    const int begin = W.first[at(i)], end = W.first[at(i + 1)], d = W.diagonal[at(i)];
    if (d < begin || d >= end || W.column[at(d)] != i) return false;
    int last = -1;
    for (int e = begin; e < end; ++e) {
      good &= W.column[at(e)] > last;
      last = W.column[at(e)];
    }
    const double* W_ii = W.values.data() + 9 * std::ptrdiff_t{d};
    good &= last < cones.count() && W_ii[0] > 0 && W_ii[4] >= 0 && W_ii[8] >= 0;
  }
  return good && all_finite(problem.q.data(), problem.q.size()) &&
         all_finite(W.values.data(), static_cast<std::ptrdiff_t>(W.values.size()));
}

}  // namespace

void check_problem(const ConeProblem& problem) {
  if (plainly_well_posed(problem)) return;
  const Cones& cones = problem.cones;
  // Dimensions before sizes: offsets mean something only when each dimension does.
  for (int i = 0; i < cones.count(); ++i) check_cone(i, cones[i]);
  check_sizes(problem);
  if (problem.W.factors) check_inverse_masses(*problem.W.factors);
  // All values at once first; only when something is wrong are they looked at one by one, to name it.
  const auto& assembled = problem.W.assembled;
  const bool q_finite = all_finite(problem.q.data(), problem.q.size());
  const bool W_finite =
      assembled && all_finite(assembled->values.data(), static_cast<std::ptrdiff_t>(assembled->values.size()));
  for (int i = 0; i < cones.count(); ++i) {
    for (int k = 0; k < cones.dim(i) && !q_finite; ++k) {
      const double value = problem.q[cones.offset(i) + k];
      if (!std::isfinite(value)) reject_contact(i, "q is not finite", fmt::format("q({}) = {}", k, value));
    }
    if (problem.W.factors) check_factors(*problem.W.factors, cones, i);
    if (assembled) check_block_row(*assembled, cones, i, W_finite);
    check_diagonal(problem.W, cones, i);
  }
}

bool takes_all(ConeKinds takes, const Cones& cones) {
  for (int i = 0; i < cones.count(); ++i) {
    if (!takes.contains(cones[i].kind)) return false;
  }
  return true;
}

void check_kinds(std::string_view solver, ConeKinds takes, const Cones& cones) {
  for (int i = 0; i < cones.count(); ++i) {
    if (!takes.contains(cones[i].kind))
      reject_contact(i, fmt::format("solver {} does not take cones of this kind", solver),
                     std::string(name_of(cones[i].kind)));
  }
}

const BlockSparse& assembled_body(const ConeProblem& problem, BlockSparse& storage) {
  if (problem.W.assembled) return *problem.W.assembled;
  if (problem.W.factors) storage = assemble(*problem.W.factors, problem.cones);
  return storage;
}

ConeProblem to_cone_problem(const Lcp& lcp) {
  if (lcp.M.rows() != lcp.M.cols() || lcp.M.rows() != lcp.q.size())
    reject("M", fmt::format("an LCP with {} unknowns needs a square matrix of that size", lcp.q.size()),
           fmt::format("{} x {}", lcp.M.rows(), lcp.M.cols()));
  ConeProblem problem;
  problem.cones.reserve(static_cast<int>(lcp.q.size()));
  for (Eigen::Index i = 0; i < lcp.q.size(); ++i) problem.cones.add({.kind = ConeKind::Orthant, .dim = 1, .mu = 0});
  problem.W.assembled = to_block_sparse(lcp.M, problem.cones);
  problem.q = lcp.q;
  return problem;
}

}  // namespace carom
