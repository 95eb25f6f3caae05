#include "engine/contact_rows.h"

#include <algorithm>

namespace carom {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

double* block(BlockSparse& W, int i, int j) {
  const auto begin = W.column.begin() + W.first[at(i)], end = W.column.begin() + W.first[at(i) + 1];
  const auto found = std::lower_bound(begin, end, j);
  return W.values.data() + W.start[static_cast<std::size_t>(found - W.column.begin())];
}

// The lower half of W is the transpose of the upper half, bit for bit.
void mirror(const Cones& cones, BlockSparse& W) {
  for (int i = 0; i < cones.count(); ++i) {
    const int di = cones.dim(i);
    for (int e = W.diagonal[at(i)] + 1; e < W.first[at(i) + 1]; ++e) {
      const int j = W.column[at(e)], dj = cones.dim(j);
      const double* W_ij = W.values.data() + W.start[at(e)];
      double* W_ji = block(W, j, i);
      for (int k = 0; k < di; ++k)
        for (int l = 0; l < dj; ++l) W_ji[l * di + k] = W_ij[k * dj + l];
    }
    double* W_ii = W.values.data() + W.start[at(W.diagonal[at(i)])];
    for (int k = 0; k < di; ++k)
      for (int l = 0; l < k; ++l) W_ii[k * di + l] = W_ii[l * di + k];
  }
}

}  // namespace

void contact_velocity(const ContactRows& rows, int dim, VectorIn v, double* u) {
  for (int k = 0; k < dim; ++k) {
    u[k] = rows.drift[at(k)];
    for (std::size_t e = 0; e < rows.coordinate.size(); ++e) u[k] += rows.direction[at(k)][e] * v[rows.coordinate[e]];
  }
}

void add_momentum(std::span<const ContactRows> rows, const Cones& cones, VectorIn p, VectorOut momentum) {
  for (int i = 0; i < cones.count(); ++i) {
    const ContactRows& r = rows[at(i)];
    for (int k = 0; k < cones.dim(i); ++k) {
      const double impulse = p[cones.offset(i) + k];
      for (std::size_t e = 0; e < r.coordinate.size(); ++e)
        momentum[r.coordinate[e]] += r.direction[at(k)][e] * impulse;
    }
  }
}

void DelassusAssembler::cut(const MassFactor& mass, std::span<const ContactRows> rows, const Cones& cones) {
  pieces_.clear();
  of_contact_.clear();
  std::ptrdiff_t size = 0;
  for (int i = 0; i < cones.count(); ++i) {
    of_contact_.push_back(static_cast<int>(pieces_.size()));
    sets_.clear();
    for (int coordinate : rows[at(i)].coordinate) sets_.push_back(mass.set_of(coordinate));
    std::sort(sets_.begin(), sets_.end());
    sets_.erase(std::unique(sets_.begin(), sets_.end()), sets_.end());
    for (int set : sets_) {
      pieces_.push_back({i, set, size});
      size += std::ptrdiff_t{2} * cones.dim(i) * mass.set_size(set);
    }
  }
  of_contact_.push_back(static_cast<int>(pieces_.size()));

  values_.assign(static_cast<std::size_t>(size), 0.0);
  for (const Piece& piece : pieces_) {
    const ContactRows& r = rows[at(piece.contact)];
    const int n = mass.set_size(piece.set), dim = cones.dim(piece.contact);
    double* H = values_.data() + piece.first;
    double* Y = H + std::ptrdiff_t{dim} * n;
    for (int k = 0; k < dim; ++k) {
      for (std::size_t e = 0; e < r.coordinate.size(); ++e)
        if (mass.set_of(r.coordinate[e]) == piece.set)
          H[k * n + mass.place_in_set(r.coordinate[e])] = r.direction[at(k)][e];
      std::copy(H + k * n, H + (k + 1) * n, Y + k * n);
      mass.solve_set(piece.set, Y + k * n);
    }
  }
}

void DelassusAssembler::sort_by_set(int sets) {
  // Counts two places up, so that filling moves each start to where it belongs.
  set_first_.assign(at(sets) + 2, 0);
  for (const Piece& piece : pieces_) ++set_first_[at(piece.set) + 2];
  for (std::size_t s = 1; s < set_first_.size(); ++s) set_first_[s] += set_first_[s - 1];
  set_pieces_.resize(pieces_.size());
  for (int k = 0; k < static_cast<int>(pieces_.size()); ++k)
    set_pieces_[at(set_first_[at(pieces_[at(k)].set) + 1]++)] = k;
  set_first_.pop_back();
}

void DelassusAssembler::set_pattern(const Cones& cones, BlockSparse& W) {
  const int count = cones.count();
  W.first.assign(1, 0);
  W.column.clear();
  W.start.clear();
  W.diagonal.resize(at(count));
  seen_.assign(at(count), -1);
  std::ptrdiff_t size = 0;
  for (int i = 0; i < count; ++i) {
    row_.assign(1, i);
    seen_[at(i)] = i;
    for (int k = of_contact_[at(i)]; k < of_contact_[at(i) + 1]; ++k) {
      const int set = pieces_[at(k)].set;
      for (int e = set_first_[at(set)]; e < set_first_[at(set) + 1]; ++e) {
        const int j = pieces_[at(set_pieces_[at(e)])].contact;
        if (seen_[at(j)] == i) continue;
        seen_[at(j)] = i;
        row_.push_back(j);
      }
    }
    std::sort(row_.begin(), row_.end());
    for (int j : row_) {
      if (j == i) W.diagonal[at(i)] = static_cast<int>(W.column.size());
      W.column.push_back(j);
      W.start.push_back(size);
      size += std::ptrdiff_t{cones.dim(i)} * cones.dim(j);
    }
    W.first.push_back(static_cast<int>(W.column.size()));
  }
  W.values.assign(static_cast<std::size_t>(size), 0.0);
}

void DelassusAssembler::assemble(const MassFactor& mass, std::span<const ContactRows> rows, const Cones& cones,
                                 BlockSparse& W) {
  cut(mass, rows, cones);
  sort_by_set(mass.sets());
  set_pattern(cones, W);
  // W_ij += H_i (M^-1 H_j^T) through each set, for i <= j
  for (int set = 0; set < mass.sets(); ++set) {
    const int n = mass.set_size(set), end = set_first_[at(set) + 1];
    for (int a = set_first_[at(set)]; a < end; ++a) {
      const Piece& left = pieces_[at(set_pieces_[at(a)])];
      const double* H = values_.data() + left.first;
      for (int b = a; b < end; ++b) {
        const Piece& right = pieces_[at(set_pieces_[at(b)])];
        const int di = cones.dim(left.contact), dj = cones.dim(right.contact);
        const double* Y = values_.data() + right.first + std::ptrdiff_t{dj} * n;
        double* W_ij = block(W, left.contact, right.contact);
        for (int k = 0; k < di; ++k)
          for (int l = 0; l < dj; ++l)
            for (int e = 0; e < n; ++e) W_ij[k * dj + l] += H[k * n + e] * Y[l * n + e];
      }
    }
  }
  mirror(cones, W);
}

}  // namespace carom
