// A quantity of a run as a plot over time.
#pragma once

#include "io/plot/plot.h"
#include "io/run_quantities.h"

namespace carom {

Plot quantity_plot(const Quantity& quantity);

}  // namespace carom
