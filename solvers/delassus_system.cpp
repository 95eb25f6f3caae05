#include "solvers/delassus_system.h"

#include <algorithm>

namespace carom {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

bool DelassusSystem::by_bodies(const ConeProblem& problem) {
  if (!problem.W.factors) return false;
  return by_bodies(static_cast<std::ptrdiff_t>(problem.W.factors->inverse_mass.size()), problem.cones.count());
}

void DelassusSystem::prepare(const ConeProblem& problem) {
  cones_ = &problem.cones;
  bodies_in_use_ = by_bodies(problem);
  R_.resize(cones_->rows());
  if (bodies_in_use_) return bodies_.prepare(*problem.W.factors, *cones_);
  W_ = &assembled_body(problem, storage_);
  contacts_.prepare(*W_, *cones_);
  blocks_.resize(at(cones_->count()));
}

void DelassusSystem::start(const std::vector<char>& active) {
  active_ = active;
  scaled_ = false;
  R_.setOnes();
  if (bodies_in_use_)
    bodies_.start();
  else
    contacts_.start(active);
}

void DelassusSystem::set(int i, const double* L, const double* R, const double* A) {
  const int dim = cones_->dim(i), offset = cones_->offset(i);
  if (R != nullptr) {
    scaled_ = true;
    for (int k = 0; k < dim; ++k) R_[offset + k] = R[k];
  }
  if (!bodies_in_use_) {
    Block& block = blocks_[at(i)];
    block.unit = L == nullptr;
    if (L != nullptr) std::copy_n(L, dim * dim, block.L);
    std::copy_n(A, dim * dim, block.A);
    return;
  }
  // (A R^-1 + L W) (R x) = b
  double scaled[kMaxBlockDim * kMaxBlockDim];
  for (int k = 0; k < dim; ++k) {
    for (int l = 0; l < dim; ++l) scaled[k * dim + l] = A[k * dim + l] / R_[offset + l];
  }
  bodies_.set(i, L, scaled);
}

bool DelassusSystem::factor() {
  if (bodies_in_use_) return bodies_.factor();
  for (int i = 0; i < cones_->count(); ++i) {
    if (active_[at(i)]) add_row(i);
  }
  return contacts_.factor();
}

// Row i of A + L W R
void DelassusSystem::add_row(int i) {
  const Block& row = blocks_[at(i)];
  const int dim = cones_->dim(i);
  double entries[kMaxBlockDim * kMaxBlockDim];
  for (int e = W_->first[at(i)]; e < W_->first[at(i + 1)]; ++e) {
    const int j = W_->column[at(e)], columns = cones_->dim(j);
    if (!active_[at(j)]) continue;
    const double* W_ij = W_->values.data() + W_->start[at(e)];
    const double* product = W_ij;
    if (!row.unit || scaled_) {
      const double* R = R_.data() + cones_->offset(j);
      for (int k = 0; k < dim; ++k) {
        for (int l = 0; l < columns; ++l) {
          double sum = 0;
          if (row.unit)
            sum = W_ij[k * columns + l];
          else
            for (int m = 0; m < dim; ++m) sum += row.L[k * dim + m] * W_ij[m * columns + l];
          entries[k * columns + l] = sum * R[l];
        }
      }
      product = entries;
    }
    contacts_.add(i, e, dim, columns, product);
  }
  contacts_.add(i, W_->diagonal[at(i)], dim, dim, row.A);
}

void DelassusSystem::unscale(VectorOut x) const {
  if (scaled_) x = x.cwiseQuotient(R_);
}

bool DelassusSystem::solve(VectorIn b, VectorOut x) {
  if (!bodies_in_use_) return contacts_.solve(b, x);
  const bool accurate = bodies_.solve(b, x);
  unscale(x);
  return accurate;
}

void DelassusSystem::solve_once(VectorOut x) {
  if (!bodies_in_use_) return contacts_.solve_once(x);
  bodies_.solve_once(x);
  unscale(x);
}

}  // namespace carom
