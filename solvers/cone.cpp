#include "solvers/cone.h"

namespace carom {

std::string_view name_of(ConeKind kind) {
  switch (kind) {
    case ConeKind::Free:
      return "free";
    case ConeKind::Orthant:
      return "orthant";
    case ConeKind::Coulomb:
      return "coulomb";
    case ConeKind::Associated:
      return "associated";
    case ConeKind::Rolling:
      return "rolling";
  }
  return "unknown";
}

}  // namespace carom
