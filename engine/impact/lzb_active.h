// The part of an impact that moves. A contact moves when it approaches faster than the quiet speed or is indented; the
// integration holds those contacts and their neighbours, with a copy of their rows of W, and watches the rim around
// them: when a contact of the rim starts to move, the step is taken back and the set grows. A pulse in a long chain so
// costs what its few balls cost, whatever the chain's length.
#pragma once

#include "engine/impact/lzb_state.h"

namespace carom {

// Sparse rows over the active set, scaled.
struct LzbRows {
  std::vector<int> first = {0};
  std::vector<int> column;
  std::vector<double> value;
  std::vector<double> dense;  // all rows in full where half of them and more is stored, else empty

  double dot(int row, const double* x) const {
    double sum = 0;
    for (int e = first[row]; e < first[row + 1]; ++e) sum += value[e] * x[column[e]];
    return sum;
  }

  // y = start + W x for a symmetric W. Costs the columns of those contacts that x is not 0 at.
  void multiply(const double* x, const double* start, double* y) const;
};

class LzbActive {
 public:
  // All contacts that move, from the whole problem; sizes every array so that later changes allocate nothing.
  void start(LzbState& state);

  // The set that the present state asks for. Contacts that leave give up what is left of their indentation.
  void rebuild(LzbState& state);

  // True when the set no longer fits the state.
  bool outdated(const LzbState& state) const;

  // True when impulses dp (local rows) would set a contact of the rim in motion; the set has then grown.
  bool grows(LzbState& state, const double* dp);

  // Approaches faster than the quiet speed, or is indented beyond its static indentation.
  bool moves(const LzbState& state, int i) const;

  int count() const { return static_cast<int>(contact.size()); }
  int rows() const { return static_cast<int>(row.size()); }  // normals first, then tangential rows with friction

  std::vector<int> contact;  // increasing
  std::vector<int> row;      // the problem's row of each local row
  std::vector<int> tangent;  // per contact: its first tangential local row, -1 without friction
  LzbRows W;

 private:
  void add(int i);
  void add_with_neighbours(const LzbState& state, int i);
  void fill(LzbState& state);
  void append_row(const LzbState& state, int i, int component, LzbRows& rows) const;

  std::vector<int> slot_;                  // per contact of the problem: place in `contact`, -1
  std::vector<int> mark_;                  // per contact: number of the rebuild that last met it
  std::vector<int> rim_, candidates_;      // contacts
  std::vector<unsigned char> was_moving_;  // per local contact, when the set was built
  LzbRows rim_rows_;                       // normal rows of the rim
  int round_ = 0;
};

}  // namespace carom
