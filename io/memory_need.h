// What a run of many bodies needs, before anything of it is made.
#pragma once

#include <cstddef>
#include <string>

namespace carom {

// Bytes of a sphere in a dense pile with its contacts, solver and output included: counted from the arrays, not measured.
inline constexpr double kBytesPerBody = 6000;

// Bytes that the machine can still give; infinity where it does not tell.
double available_memory();

// Empty where that many bodies fit, else the sentence that says what is needed and what there is.
std::string memory_short_of(double bodies, double available);

}  // namespace carom
