// Which inner loop for products with 3x3 blocks (solvers/delassus.h) this machine runs fastest.
#pragma once

#include "solvers/delassus.h"

namespace carom {

// All of them add the same products in the same order: the bits do not tell which it was.
AddRow3x3 add_row_3x3();

// 3x3 blocks only, stored one after the other.
bool only_3x3(const BlockSparse& W, const Cones& cones);

}  // namespace carom
