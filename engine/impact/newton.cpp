#include "engine/impact/newton.h"

namespace carom {

void apply_newton_law(std::span<const PairLaw> laws, const Cones& cones, VectorIn u_minus, VectorOut q) {
  for (int i = 0; i < cones.count(); ++i) {
    const PairLaw& law = laws[static_cast<std::size_t>(i)];
    const int k = cones.offset(i);
    q[k] += law.restitution * u_minus[k];
    for (int j = 1; j < cones.dim(i); ++j) q[k + j] += law.tangential_restitution * u_minus[k + j];
  }
}

}  // namespace carom
