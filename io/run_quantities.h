// What of a run can be drawn over time: one list for `carom plot` and for the charts of reports.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/run_diagnostics.h"

namespace carom {

struct QuantityInfo {
  std::string name;   // as the command line takes it
  std::string title;  // over the plot
  std::string unit;   // of all its curves
  bool logarithmic = false;
};

struct Quantity {
  struct Curve {
    std::string name;
    std::vector<double> values;
  };
  QuantityInfo info;
  std::vector<double> time;  // s
  std::vector<Curve> curves;
};

// A run file of bodies or of a system, opened for its quantities.
class QuantityReader {
 public:
  explicit QuantityReader(const std::string& file);
  ~QuantityReader();

  const std::vector<QuantityInfo>& list() const { return list_; }  // those that this run has something to tell of
  // Throws InputError with the nearest name there is.
  Quantity read(const std::string& name) const;
  const RunDiagnostics& diagnostics() const { return steps_; }

 private:
  struct Frames;
  std::string file_;
  std::vector<QuantityInfo> list_;
  RunDiagnostics steps_;
  std::unique_ptr<Frames> frames_;
};

// Of a curve with very many points, about `most` that look the same: the smallest and the largest of each stretch.
// Returns the numbers of the points kept, increasing.
std::vector<std::size_t> thinned(const std::vector<double>& values, std::size_t most);

}  // namespace carom
