// Contacts of a system in generalized coordinates: rows of H, and W = H M^-1 H^T from them.
#pragma once

#include <array>

#include "engine/mass_factor.h"
#include "solvers/delassus.h"

namespace carom {

// The rows of one contact: u_k = sum over e of direction[k][e] v[coordinate[e]] + drift[k], k = n, t1, t2.
struct ContactRows {
  std::vector<int> coordinate;                   // that the contact depends on, increasing
  std::array<std::vector<double>, 3> direction;  // the gradient of the gap, then the tangents; dim of them
  std::array<double, 3> drift = {0, 0, 0};       // m/s: the gap's own rate of change, where supports move
};

// u = H v + w, the relative velocity of one contact; dim values.
void contact_velocity(const ContactRows& rows, int dim, VectorIn v, double* u);

// momentum += H^T p
void add_momentum(std::span<const ContactRows> rows, const Cones& cones, VectorIn p, VectorOut momentum);

// W = H M^-1 H^T of contacts with these rows. Two contacts meet in W where they touch the same set of coupled
// coordinates, so that a chain of n balls costs O(n). The arrays are kept: once sizes have settled nothing is
// allocated.
class DelassusAssembler {
 public:
  void assemble(const MassFactor& mass, std::span<const ContactRows> rows, const Cones& cones, BlockSparse& W);

 private:
  // The part of one contact's rows that lies in one set of coupled coordinates: H and M^-1 H^T, dim rows of the set's
  // size each, at values_[first] and values_[first + dim * size].
  struct Piece {
    int contact = 0, set = 0;
    std::ptrdiff_t first = 0;
  };

  void cut(const MassFactor& mass, std::span<const ContactRows> rows, const Cones& cones);
  void sort_by_set(int sets);
  void set_pattern(const Cones& cones, BlockSparse& W);

  std::vector<Piece> pieces_;    // by contact, then set
  std::vector<int> of_contact_;  // first piece per contact, and the end
  std::vector<int> set_first_;   // per set, and the end: into set_pieces_
  std::vector<int> set_pieces_;  // pieces of each set, by contact
  std::vector<double> values_;
  std::vector<int> sets_, seen_, row_;  // scratch
};

}  // namespace carom
