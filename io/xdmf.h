// The .xdmf beside a run file: one grid of points per frame, all numbers in the run file. ParaView opens it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace carom {

// "run.h5" -> "run.xdmf"
std::string xdmf_beside(const std::string& run_file);

// `run_name` is how the .xdmf reaches the run file: its name when both share a folder. Above 2000 frames every
// second, third, ... one is listed, the last always.
void write_xdmf(const std::string& xdmf_file, const std::string& run_name, const std::vector<double>& frame_times,
                std::uint64_t bodies);

}  // namespace carom
