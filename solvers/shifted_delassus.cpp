#include "solvers/shifted_delassus.h"

#include <algorithm>

namespace carom {

void ShiftedDelassus::prepare(const ConeProblem& problem) {
  W_ = &assembled_body(problem, storage_);
  cones_ = &problem.cones;
  system_.prepare(*W_, *cones_);
  all_.assign(static_cast<std::size_t>(cones_->count()), 1);
}

bool ShiftedDelassus::factor(VectorIn R) {
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  system_.start(all_);
  double diagonal[kMaxBlockDim * kMaxBlockDim];
  for (int i = 0; i < cones_->count(); ++i) {
    const int dim = cones_->dim(i);
    for (int e = W_->first[at(i)]; e < W_->first[at(i + 1)]; ++e)
      system_.add(i, e, dim, cones_->dim(W_->column[at(e)]), W_->values.data() + W_->start[at(e)]);
    std::fill(diagonal, diagonal + dim * dim, 0.0);
    for (int k = 0; k < dim; ++k) diagonal[k * dim + k] = R[cones_->offset(i) + k];
    system_.add(i, W_->diagonal[at(i)], dim, dim, diagonal);
  }
  return system_.factor();
}

}  // namespace carom
