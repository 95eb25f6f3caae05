#include "engine/impact/newton.h"

namespace carom {

void apply_newton_law(const ActiveContacts& active, const Cones& cones, const Vector& u_minus, Vector& q) {
  for (int i = 0; i < cones.count(); ++i) {
    const PairLaw& law = active.law[static_cast<std::size_t>(i)];
    const int k = cones.offset(i);
    q[k] += law.restitution * u_minus[k];
    for (int j = 1; j < cones.dim(i); ++j) q[k + j] += law.tangential_restitution * u_minus[k + j];
  }
}

}  // namespace carom
