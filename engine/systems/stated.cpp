#include "engine/systems/stated.h"

#include <fmt/format.h>

#include "base/error.h"

namespace carom {

namespace {

[[noreturn]] void reject(const std::string& item, const std::string& problem, const std::string& value = {}) {
  throw InputError({"", 0, 0, item}, problem, value);
}

void check_mass(const MatrixXd& M, Eigen::Index n) {
  if (M.rows() != n || M.cols() != n)
    reject("mass", fmt::format("must be {} x {}, one row per velocity", n, n),
           fmt::format("{} x {}", M.rows(), M.cols()));
  if (!M.allFinite()) reject("mass", "must be finite");
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < i; ++j)
      if (std::abs(M(i, j) - M(j, i)) > 1e-12 * M.cwiseAbs().maxCoeff())
        reject("mass", fmt::format("must be symmetric, but entries ({0}, {1}) and ({1}, {0}) differ", i + 1, j + 1),
               fmt::format("{} and {}", M(i, j), M(j, i)));
  MassFactor factor;
  SparseMatrix sparse;
  set_full(M, sparse);
  if (!factor.compute(sparse)) reject("mass", "must be positive definite");
}

void check_contact(const StatedContact& c, Eigen::Index n) {
  const std::string item = fmt::format("contact \"{}\"", c.name);
  if (c.rows.empty() || c.rows.size() > 3) reject(item, "must have a normal and at most two tangents");
  for (const VectorXd& row : c.rows) {
    if (row.size() != n)
      reject(item, fmt::format("each direction must have {} numbers, one per velocity", n),
             fmt::format("{}", row.size()));
    if (!row.allFinite()) reject(item, "directions must be finite");
  }
  if (c.rows[0].isZero(0)) reject(item, "the normal is zero: neither body of this contact can be moved");
}

}  // namespace

StatedSystem::StatedSystem(StatedImpact impact) : impact_(std::move(impact)) {
  const Eigen::Index n = impact_.v.size();
  if (n == 0) reject("velocities", "there must be at least one");
  if (impact_.q.size() == 0) impact_.q = VectorXd::Zero(n);
  if (impact_.q.size() != n || static_cast<Eigen::Index>(impact_.name.size()) != n)
    reject("velocities", "coordinates, their names and velocities must be equally many");
  check_mass(impact_.mass, n);
  if (impact_.contacts.empty()) reject("contact", "there must be at least one");
  for (const StatedContact& c : impact_.contacts) check_contact(c, n);

  M_ = impact_.mass.sparseView();
  M_.makeCompressed();
  MassFactor sets;
  if (!sets.compute(M_)) reject("mass", "must be positive definite");
  bodies_ = sets.sets();
  for (int i = 0; i < coordinates(); ++i) body_of_.push_back(sets.set_of(i));
}

void StatedSystem::mass_matrix(VectorIn, SparseMatrix& M) const { M = M_; }

void StatedSystem::force(double, VectorIn, VectorIn, VectorOut F) const { F.setZero(); }

double StatedSystem::potential_energy(double, VectorIn) const { return 0; }

void StatedSystem::gaps(double, VectorIn q, VectorOut g) const {
  for (int i = 0; i < contacts(); ++i) g[i] = contact(i).rows[0].dot(q - impact_.q);
}

void StatedSystem::contact_rows(double, VectorIn, int i, ContactRows& rows) const {
  const StatedContact& c = contact(i);
  rows.coordinate.clear();
  for (auto& direction : rows.direction) direction.clear();
  rows.drift = {0, 0, 0};
  for (int k = 0; k < coordinates(); ++k) {
    bool used = false;
    for (const VectorXd& row : c.rows) used = used || row[k] != 0;
    if (!used) continue;
    rows.coordinate.push_back(k);
    for (std::size_t d = 0; d < c.rows.size(); ++d) rows.direction[d].push_back(c.rows[d][k]);
  }
}

std::vector<double> StatedSystem::body_energies(VectorIn, VectorIn v) const {
  const VectorXd momentum = M_ * v;
  std::vector<double> energies(static_cast<std::size_t>(bodies_), 0.0);
  for (int i = 0; i < coordinates(); ++i)
    energies[static_cast<std::size_t>(body_of_[static_cast<std::size_t>(i)])] += 0.5 * momentum[i] * v[i];
  return energies;
}

}  // namespace carom
