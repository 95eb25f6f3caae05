#include "engine/events/contact_dynamics.h"

#include <algorithm>
#include <cmath>

namespace carom {

namespace {

constexpr double kSmall = 1e-9;  // of the scale: forces and accelerations below are none

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// The least-norm solution of A x = y, with A's rank decided at 1e-11 of its size.
struct LeastNorm {
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> decomposition;
  explicit LeastNorm(const MatrixXd& A) {
    decomposition.setThreshold(1e-11);
    decomposition.compute(A);
  }
  VectorXd solve(const VectorXd& y) const { return decomposition.solve(y); }
  bool full_rank() const { return decomposition.rank() == decomposition.cols(); }
};

double tangential(const VectorXd& x, int offset, int dim) {
  return dim == 1 ? 0.0 : dim == 2 ? std::abs(x[offset + 1]) : std::hypot(x[offset + 1], x[offset + 2]);
}

std::array<double, 2> unit_tangent(const VectorXd& x, int offset, int dim, double sign) {
  const double size = tangential(x, offset, dim);
  return {sign * x[offset + 1] / size, dim == 3 ? sign * x[offset + 2] / size : 0.0};
}

}  // namespace

bool ContactDynamics::evaluate(double t, VectorIn q, VectorIn v, std::span<const int> contacts) {
  contacts_.assign(contacts.begin(), contacts.end());
  system_.mass_matrix(q, M_);
  if (!mass_.compute(M_)) return false;
  a_free_.resize(v.size());
  system_.force(t, q, v, a_free_);
  force_scale_ = a_free_.lpNorm<Eigen::Infinity>();
  mass_.solve(a_free_);

  cones_.clear();
  rows_.resize(contacts.size());
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    cones_.add(contact_cone(system_, contacts[k]));
    system_.contact_rows(t, q, contacts[k], rows_[k]);
  }
  H_.setZero(cones_.rows(), v.size());
  u_.resize(cones_.rows());
  b_.resize(cones_.rows());
  for (int i = 0; i < cones_.count(); ++i) {
    const ContactRows& rows = rows_[at(i)];
    const auto bias = system_.contact_bias(t, q, v, contacts_[at(i)]);
    for (int k = 0; k < cones_.dim(i); ++k) {
      const int row = cones_.offset(i) + k;
      for (std::size_t e = 0; e < rows.coordinate.size(); ++e) H_(row, rows.coordinate[e]) = rows.direction[at(k)][e];
      u_[row] = rows.drift[at(k)] + H_.row(row).dot(v);
      b_[row] = bias[at(k)] + H_.row(row).dot(a_free_);
    }
  }
  Y_ = H_.transpose();
  for (Eigen::Index column = 0; column < Y_.cols(); ++column) mass_.solve(Y_.col(column));
  W_ = H_ * Y_;
  for (Eigen::Index row = 0; row < b_.size(); ++row)
    if (W_(row, row) > 0) force_scale_ = std::max(force_scale_, std::abs(b_[row]) / W_(row, row));
  set_forces(VectorXd::Zero(cones_.rows()));
  return a_.allFinite() && b_.allFinite() && W_.allFinite();
}

int ContactDynamics::index_of(int contact) const {
  return static_cast<int>(std::lower_bound(contacts_.begin(), contacts_.end(), contact) - contacts_.begin());
}

void ContactDynamics::set_forces(const VectorXd& f) {
  f_ = f;
  a_ = a_free_ + Y_ * f_;
}

ContactDynamics::Unknowns ContactDynamics::unknowns_of(const ContactMode& mode) const {
  Unknowns unknowns;
  for (const HeldContact& held : mode) {
    const int i = index_of(held.contact);
    for (int k = 0; k < (held.sticks ? cones_.dim(i) : 1); ++k) unknowns.rows.push_back(cones_.offset(i) + k);
  }
  unknowns.C.setZero(cones_.rows(), static_cast<Eigen::Index>(unknowns.rows.size()));
  for (std::size_t c = 0; c < unknowns.rows.size(); ++c) unknowns.C(unknowns.rows[c], static_cast<Eigen::Index>(c)) = 1;
  // f_t = -mu f_n d where it slides
  Eigen::Index column = 0;
  for (const HeldContact& held : mode) {
    const int i = index_of(held.contact);
    if (!held.sticks)
      for (int k = 1; k < cones_.dim(i); ++k)
        unknowns.C(cones_.offset(i) + k, column) = -cones_[i].mu * held.direction[at(k - 1)];
    column += held.sticks ? cones_.dim(i) : 1;
  }
  return unknowns;
}

bool ContactDynamics::solve_mode(const ContactMode& mode) {
  redundant_ = false;
  if (mode.empty()) {
    set_forces(VectorXd::Zero(cones_.rows()));
    return true;
  }
  const Unknowns unknowns = unknowns_of(mode);
  const MatrixXd A = (W_ * unknowns.C)(unknowns.rows, Eigen::all);
  const VectorXd wanted = -b_(unknowns.rows);
  const LeastNorm factor(A);
  const VectorXd x = factor.solve(wanted);
  redundant_ = !factor.full_rank();
  set_forces(unknowns.C * x);
  if (!x.allFinite()) return false;
  return (A * x - wanted).lpNorm<Eigen::Infinity>() <= 1e-7 * (wanted.lpNorm<Eigen::Infinity>() + 1e-300);
}

void ContactDynamics::share_friction(const ContactMode& mode) {
  if (!redundant_) return;
  const Unknowns unknowns = unknowns_of(mode);
  const MatrixXd A = (W_ * unknowns.C)(unknowns.rows, Eigen::all);
  const VectorXd wanted = -b_(unknowns.rows);
  // Least norm of x / D with D = f_n for normals and mu f_n for tangents; twice, since f_n may change with it.
  for (int round = 0; round < 2; ++round) {
    VectorXd D(A.cols());
    Eigen::Index column = 0;
    for (const HeldContact& held : mode) {
      const int i = index_of(held.contact);
      const double normal = std::max(f_[cones_.offset(i)], 1e-12 * force_scale_);
      for (int k = 0; k < (held.sticks ? cones_.dim(i) : 1); ++k)
        D[column++] = std::sqrt(k == 0 ? force_scale_ : cones_[i].mu * normal);
    }
    const VectorXd x = D.asDiagonal() * LeastNorm(A * D.asDiagonal()).solve(wanted);
    if (!x.allFinite()) return;
    f_ = unknowns.C * x;  // accelerations are the same
  }
}

std::optional<ContactMode> ContactDynamics::decide(double rest_speed, const ContactMode& sliding) {
  // All contacts as candidates: those that slide by their direction, the others free to stick or slide.
  ContactMode tried;
  for (int i = 0; i < cones_.count(); ++i) {
    HeldContact candidate{contacts_[at(i)], cones_.dim(i) > 1};
    if (cones_.dim(i) > 1 && tangential(u_, cones_.offset(i), cones_.dim(i)) > rest_speed)
      candidate = {contacts_[at(i)], false, unit_tangent(u_, cones_.offset(i), cones_.dim(i), 1)};
    for (const HeldContact& forced : sliding)
      if (forced.contact == contacts_[at(i)]) candidate = forced;
    tried.push_back(candidate);
  }
  if (tried.empty()) return ContactMode{};

  // u' = A x + q with x in the cones; divided by the size of A so that forces and accelerations are comparable.
  const Unknowns unknowns = unknowns_of(tried);
  const MatrixXd A = (W_ * unknowns.C)(unknowns.rows, Eigen::all);
  ConeProblem problem;
  for (const HeldContact& held : tried) {
    const int i = index_of(held.contact);
    problem.cones.add(held.sticks ? cones_[i] : Cone{ConeKind::Orthant, 1, 0});
  }
  const double size = A.diagonal().cwiseAbs().maxCoeff();
  problem.q = b_(unknowns.rows);
  problem.W.assembled = to_block_sparse((A / size).sparseView(1.0, 0.0), problem.cones);
  solver_.options().stop.tolerance = 1e-13;
  solver_.options().stop.max_iterations = 2000;
  VectorXd x = VectorXd::Zero(A.cols());
  bool positive = true;
  for (int i = 0; i < problem.cones.count(); ++i) {
    const int row = problem.cones.offset(i);
    positive = positive && A(row, row) > 0;
  }
  const bool solved = positive && solver_.solve(problem, x).residuals.natural_map <= kSmall;
  x /= size;

  const ContactMode guess = solved ? read_mode(tried, x, kSmall) : tried;
  const VectorXd cone_acceleration = a_free_ + Y_ * (unknowns.C * x);
  if (solved && solve_mode(guess)) {
    const double scale = a_free_.lpNorm<Eigen::Infinity>() + cone_acceleration.lpNorm<Eigen::Infinity>() + 1e-300;
    if ((a_ - cone_acceleration).lpNorm<Eigen::Infinity>() <= 1e-6 * scale) return guess;
  }
  return pivot(guess, tried);
}

// What the forces x of the candidates say of each.
ContactMode ContactDynamics::read_mode(const ContactMode& tried, const VectorXd& x, double rest) const {
  const Unknowns unknowns = unknowns_of(tried);
  const VectorXd f = unknowns.C * x, slip = b_ + W_ * f;  // du/dt
  const double still = rest * (b_.lpNorm<Eigen::Infinity>() + 1e-300);
  ContactMode mode;
  for (const HeldContact& candidate : tried) {
    const int i = index_of(candidate.contact), offset = cones_.offset(i), dim = cones_.dim(i);
    if (f[offset] <= rest * force_scale_) continue;  // no force: it opens, or touches without pressing
    HeldContact held = candidate;
    if (candidate.sticks && tangential(f, offset, dim) >= cones_[i].mu * f[offset] * (1 - rest) &&
        tangential(slip, offset, dim) > still)
      held = {candidate.contact, false, unit_tangent(slip, offset, dim, 1)};
    mode.push_back(held);
  }
  return mode;
}

// Whether the forces and accelerations of a mode obey the laws; if not, `better` mends the worst violation.
bool ContactDynamics::obeys(const ContactMode& mode, const ContactMode& tried, ContactMode& better) const {
  const VectorXd slip = b_ + W_ * f_;
  const double still = kSmall * (b_.lpNorm<Eigen::Infinity>() + 1e-300), none = kSmall * force_scale_;
  double worst = 0;
  better = mode;
  const auto mend = [&](double violation, auto&& change) {
    if (!(violation > worst)) return;
    worst = violation;
    better = mode;
    change();
  };
  for (const HeldContact& candidate : tried) {
    const int i = index_of(candidate.contact), offset = cones_.offset(i), dim = cones_.dim(i);
    const auto held =
        std::find_if(mode.begin(), mode.end(), [&](const HeldContact& h) { return h.contact == candidate.contact; });
    const auto place = held - mode.begin();
    if (held == mode.end()) {
      mend((-slip[offset] - still) / (b_.lpNorm<Eigen::Infinity>() + 1e-300), [&] {
        better.push_back(candidate);
        std::sort(better.begin(), better.end(),
                  [](const HeldContact& x, const HeldContact& y) { return x.contact < y.contact; });
      });
      continue;
    }
    mend((-f_[offset] - none) / force_scale_, [&] { better.erase(better.begin() + place); });
    if (held->sticks)
      mend((tangential(f_, offset, dim) - cones_[i].mu * f_[offset] - none) / force_scale_, [&] {
        better[static_cast<std::size_t>(place)] = {candidate.contact, false, unit_tangent(f_, offset, dim, -1)};
      });
    else if (candidate.sticks) {  // slides from rest: it must speed up the way it slides
      double along = 0;
      for (int k = 1; k < dim; ++k) along += slip[offset + k] * held->direction[at(k - 1)];
      mend((-along - still) / (b_.lpNorm<Eigen::Infinity>() + 1e-300),
           [&] { better[static_cast<std::size_t>(place)].sticks = true; });
    }
  }
  return worst == 0;
}

std::optional<ContactMode> ContactDynamics::pivot(ContactMode mode, const ContactMode& tried) {
  ContactMode better;
  const int limit = 4 * static_cast<int>(tried.size()) + 10;
  for (int round = 0; round < limit; ++round) {
    if (solve_mode(mode)) {
      share_friction(mode);
      if (obeys(mode, tried, better)) return mode;
    } else {
      return std::nullopt;
    }
    mode = better;
  }
  return std::nullopt;
}

void ContactDynamics::shift(std::span<const int> rows, VectorIn amount, VectorOut x) const {
  const std::vector<int> chosen(rows.begin(), rows.end());
  const VectorXd z = LeastNorm(W_(chosen, chosen)).solve(amount);
  x += Y_(Eigen::all, chosen) * z;
}

}  // namespace carom
