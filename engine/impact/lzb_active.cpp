#include "engine/impact/lzb_active.h"

#include <algorithm>

namespace carom {

void LzbRows::multiply(const double* x, const double* start, double* y) const {
  const int rows = static_cast<int>(first.size()) - 1;
  std::copy_n(start, rows, y);
  if (dense.empty()) {
    for (int c = 0; c < rows; ++c)
      for (int e = first[c]; x[c] != 0 && e < first[c + 1]; ++e) y[column[e]] += x[c] * value[e];
    return;
  }
  // Four columns at a time: y is read and written once for them.
  const auto full = [&](int c) { return Eigen::Map<const VectorXd>(dense.data() + c * rows, rows); };
  Eigen::Map<VectorXd> sum(y, rows);
  int held[4] = {0, 0, 0, 0}, count = 0;
  for (int c = 0; c < rows; ++c) {
    if (x[c] == 0) continue;
    held[count++] = c;
    if (count < 4) continue;
    sum += x[held[0]] * full(held[0]) + x[held[1]] * full(held[1]) + x[held[2]] * full(held[2]) +
           x[held[3]] * full(held[3]);
    count = 0;
  }
  for (int k = 0; k < count; ++k) sum += x[held[k]] * full(held[k]);
}

bool LzbActive::moves(const LzbState& state, int i) const {
  const LzbContact& c = state.contacts[i];
  const LzbSpring& spring = c.spring;
  const double u_n = state.u[state.problem->cones.offset(i)];
  const bool deep = std::abs(c.x - spring.static_x) > spring.quiet_x;
  return deep || u_n < -state.quiet || (spring.static_force > 0 && u_n > state.quiet);
}

void LzbActive::add(int i) {
  if (mark_[i] == round_) return;
  mark_[i] = round_;
  contact.push_back(i);
}

void LzbActive::add_with_neighbours(const LzbState& state, int i) {
  const BlockSparse& blocks = state.problem->W;
  for (int e = blocks.first[i]; e < blocks.first[i + 1]; ++e) add(blocks.column[e]);
}

void LzbActive::start(LzbState& state) {
  const BlockSparse& blocks = state.problem->W;
  const auto count = state.contacts.size();
  const auto rows = static_cast<std::size_t>(state.u.size());
  for (std::vector<int>* list : {&contact, &tangent, &rim_, &candidates_}) list->reserve(count);
  row.reserve(rows);
  was_moving_.reserve(count);
  for (LzbRows* matrix : {&W, &rim_rows_}) {
    matrix->first.reserve(rows + 1);
    matrix->column.reserve(blocks.values.size());
    matrix->value.reserve(blocks.values.size());
  }
  W.dense.reserve(2 * blocks.values.size());
  slot_.assign(count, -1);
  mark_.assign(count, 0);
  round_ = 1;
  contact.clear();
  rim_.clear();
  for (int i = 0; i < static_cast<int>(count); ++i)
    if (moves(state, i)) add_with_neighbours(state, i);
  fill(state);
}

void LzbActive::rebuild(LzbState& state) {
  ++round_;
  candidates_.assign(contact.begin(), contact.end());
  contact.clear();
  for (int i : candidates_) {
    slot_[i] = -1;
    if (moves(state, i)) add_with_neighbours(state, i);
  }
  for (int i : candidates_) {
    if (mark_[i] == round_) continue;
    LzbContact& left = state.contacts[i];
    if (left.spring.static_force > 0) continue;
    left.x = 0;
    left.phase = LzbPhase::Open;
  }
  fill(state);
}

bool LzbActive::outdated(const LzbState& state) const {
  for (int a = 0; a < count(); ++a)
    if (moves(state, contact[a]) != (was_moving_[a] != 0)) return true;
  return false;
}

bool LzbActive::grows(LzbState& state, const double* dp) {
  const auto old_size = contact.size();
  for (int k = 0; k < static_cast<int>(rim_.size()); ++k) {
    const double u_n = state.u[state.problem->cones.offset(rim_[k])] + rim_rows_.dot(k, dp);
    if (u_n < -state.quiet) add(rim_[k]);
  }
  if (contact.size() == old_size) return false;
  fill(state);
  return true;
}

// Local copies of the rows of W: columns outside the active set are left out.
void LzbActive::append_row(const LzbState& state, int i, int component, LzbRows& rows) const {
  const BlockSparse& blocks = state.problem->W;
  const Cones& cones = state.problem->cones;
  const double scale = state.scales.impulse / state.scales.velocity;
  for (int e = blocks.first[i]; e < blocks.first[i + 1]; ++e) {
    const int a = slot_[blocks.column[e]];
    if (a < 0) continue;
    const int columns = cones.dim(blocks.column[e]);
    const double* block = blocks.values.data() + blocks.start[e] + component * columns;
    rows.column.push_back(a);
    rows.value.push_back(scale * block[0]);
    if (tangent[a] < 0) continue;
    for (int l = 1; l < columns; ++l) {
      rows.column.push_back(tangent[a] + l - 1);
      rows.value.push_back(scale * block[l]);
    }
  }
  rows.first.push_back(static_cast<int>(rows.column.size()));
}

void LzbActive::fill(LzbState& state) {
  const Cones& cones = state.problem->cones;
  std::sort(contact.begin(), contact.end());
  row.clear();
  tangent.clear();
  was_moving_.clear();
  for (int a = 0; a < count(); ++a) {
    slot_[contact[a]] = a;
    row.push_back(cones.offset(contact[a]));
    was_moving_.push_back(moves(state, contact[a]));
  }
  for (int i : contact) {
    const bool friction = cones[i].kind == ConeKind::Coulomb && cones[i].mu > 0;
    tangent.push_back(friction ? rows() : -1);
    for (int k = 1; friction && k < cones.dim(i); ++k) row.push_back(cones.offset(i) + k);
  }
  for (LzbRows* matrix : {&W, &rim_rows_}) {
    matrix->first.resize(1);
    matrix->column.clear();
    matrix->value.clear();
  }
  for (int i : contact) append_row(state, i, 0, W);
  for (int a = 0; a < count(); ++a)
    for (int k = 1; tangent[a] >= 0 && k < cones.dim(contact[a]); ++k) append_row(state, contact[a], k, W);
  W.dense.clear();
  if (2 * W.value.size() >= row.size() * row.size()) {
    W.dense.assign(row.size() * row.size(), 0.0);
    for (int r = 0; r < rows(); ++r)
      for (int e = W.first[r]; e < W.first[r + 1]; ++e) W.dense[r * rows() + W.column[e]] = W.value[e];
  }
  rim_.clear();
  const BlockSparse& blocks = state.problem->W;
  for (int a = 0; a < count(); ++a)
    for (int e = blocks.first[contact[a]]; e < blocks.first[contact[a] + 1]; ++e) {
      const int j = blocks.column[e];
      if (mark_[j] == round_) continue;
      mark_[j] = round_;
      rim_.push_back(j);
      append_row(state, j, 0, rim_rows_);
    }
  // The rim is not in the set.
  for (int j : rim_) mark_[j] = 0;
}

}  // namespace carom
