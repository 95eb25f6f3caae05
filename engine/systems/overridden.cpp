#include "engine/systems/overridden.h"

#include <fmt/format.h>

#include "base/check.h"
#include "base/error.h"

namespace carom {

OverriddenSystem::OverriddenSystem(std::unique_ptr<LagrangianSystem> base, std::vector<PairLaw> laws,
                                   LagrangianState start)
    : base_(std::move(base)), laws_(std::move(laws)), start_(std::move(start)) {
  CAROM_CHECK(static_cast<int>(laws_.size()) == base_->contacts(), "one law per contact");
  CAROM_CHECK(start_.q.size() == base_->coordinates() && start_.v.size() == base_->coordinates(), "a whole state");
  for (int i = 0; i < contacts(); ++i) {
    const PairLaw& law = laws_[static_cast<std::size_t>(i)];
    const std::string item = fmt::format("contact \"{}\"", contact_name(i));
    if (law.friction > 0 && contact_dim(i) == 1)
      throw InputError({"", 0, 0, item}, "this contact has no tangent, so it takes no friction",
                       fmt::format("{}", law.friction));
  }
}

}  // namespace carom
