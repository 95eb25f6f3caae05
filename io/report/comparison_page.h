// A comparison of solvers as a page: performance profiles, convergence histories, table.
#pragma once

#include "io/machine.h"
#include "solvers/comparison.h"

namespace carom {

std::string make_comparison_page(const Comparison& comparison, const Machine& machine);

}  // namespace carom
