// Another system with some of its numbers replaced: contact laws, and the state it starts from.
#pragma once

#include <memory>
#include <optional>

#include "engine/lagrangian.h"

namespace carom {

class OverriddenSystem : public LagrangianSystem {
 public:
  // laws: one per contact of `base`; their upper limits are those of the impact law. Friction on a contact that has no
  // tangent (contact_dim 1) is an InputError.
  OverriddenSystem(std::unique_ptr<LagrangianSystem> base, std::vector<PairLaw> laws, LagrangianState start);

  std::string_view name() const override { return base_->name(); }
  int coordinates() const override { return base_->coordinates(); }
  int contacts() const override { return base_->contacts(); }
  std::string coordinate_name(int i) const override { return base_->coordinate_name(i); }
  std::string contact_name(int i) const override { return base_->contact_name(i); }
  PairLaw contact_law(int i) const override { return laws_[static_cast<std::size_t>(i)]; }
  int contact_dim(int i) const override { return base_->contact_dim(i); }
  bool contact_support(int i) const override { return base_->contact_support(i); }
  LagrangianState initial_state() const override { return start_; }

  void mass_matrix(VectorIn q, SparseMatrix& M) const override { base_->mass_matrix(q, M); }
  void force(double t, VectorIn q, VectorIn v, VectorOut F) const override { base_->force(t, q, v, F); }
  double potential_energy(double t, VectorIn q) const override { return base_->potential_energy(t, q); }
  double smooth_until(double t) const override { return base_->smooth_until(t); }
  void gaps(double t, VectorIn q, VectorOut g) const override { base_->gaps(t, q, g); }
  void contact_rows(double t, VectorIn q, int i, ContactRows& rows) const override {
    base_->contact_rows(t, q, i, rows);
  }
  std::array<double, 3> contact_bias(double t, VectorIn q, VectorIn v, int i) const override {
    return base_->contact_bias(t, q, v, i);
  }
  std::vector<double> body_energies(VectorIn q, VectorIn v) const override { return base_->body_energies(q, v); }

 private:
  std::unique_ptr<LagrangianSystem> base_;
  std::vector<PairLaw> laws_;
  LagrangianState start_;
};

}  // namespace carom
