// An impact stated by its numbers: masses, the rows of each contact and velocities, without a class of its own. All
// contacts are closed and stay where they are; no force acts.
#pragma once

#include "engine/lagrangian.h"

namespace carom {

struct StatedContact {
  std::string name;
  PairLaw law;
  bool support = false;        // one of its bodies cannot be moved
  std::vector<VectorXd> rows;  // gradient of the gap, then tangents: 1 to 3, one entry per coordinate
};

struct StatedImpact {
  MatrixXd mass;                  // symmetric, positive definite
  std::vector<std::string> name;  // of the coordinates
  VectorXd q, v;
  std::vector<StatedContact> contacts;
};

class StatedSystem : public LagrangianSystem {
 public:
  // Throws InputError: sizes that disagree, a mass matrix that is not symmetric and positive definite, a normal that is
  // zero (neither body of the contact can be moved).
  explicit StatedSystem(StatedImpact impact);

  std::string_view name() const override { return "explicit"; }
  int coordinates() const override { return static_cast<int>(impact_.v.size()); }
  int contacts() const override { return static_cast<int>(impact_.contacts.size()); }
  std::string coordinate_name(int i) const override { return impact_.name[static_cast<std::size_t>(i)]; }
  std::string contact_name(int i) const override { return contact(i).name; }
  PairLaw contact_law(int i) const override { return contact(i).law; }
  int contact_dim(int i) const override { return static_cast<int>(contact(i).rows.size()); }
  bool contact_support(int i) const override { return contact(i).support; }
  LagrangianState initial_state() const override { return {impact_.q, impact_.v}; }

  void mass_matrix(VectorIn q, SparseMatrix& M) const override;
  void force(double t, VectorIn q, VectorIn v, VectorOut F) const override;
  double potential_energy(double t, VectorIn q) const override;

  // The gap is linear, g = n . (q - q_0): closed at the position stated, and true to its gradient elsewhere.
  void gaps(double t, VectorIn q, VectorOut g) const override;
  void contact_rows(double t, VectorIn q, int i, ContactRows& rows) const override;

  // Coordinates that the mass matrix couples are one body.
  std::vector<double> body_energies(VectorIn q, VectorIn v) const override;

 private:
  const StatedContact& contact(int i) const { return impact_.contacts[static_cast<std::size_t>(i)]; }

  StatedImpact impact_;
  SparseMatrix M_;
  std::vector<int> body_of_;  // per coordinate
  int bodies_ = 0;
};

}  // namespace carom
