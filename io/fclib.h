#pragma once

#include <string>

#include "solvers/problem.h"

namespace carom {

struct FclibProblem {
  ConeProblem problem;
};
FclibProblem read_fclib(const std::string& file);

}  // namespace carom
