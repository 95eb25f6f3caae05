#include "engine/systems/ball_chain.h"

#include <fmt/format.h>

namespace carom {

namespace {

// The walls' own values over those of all contacts.
void set_walls(std::string_view field, const std::vector<double>& of_walls, bool left, bool right,
               std::vector<double>& of_contacts) {
  if (of_walls.empty()) return;
  const std::size_t walls = (left ? 1u : 0u) + (right ? 1u : 0u);
  if (walls == 0)
    reject_parameter(BallChain::kName, field, "needs left_wall or right_wall",
                     fmt::format("{} values", of_walls.size()));
  const std::vector<double> each = spread(BallChain::kName, field, of_walls, walls);
  if (left) of_contacts.front() = each.front();
  if (right) of_contacts.back() = each.back();
}

}  // namespace

BallChain::BallChain(const BallChainParameters& p) : left_wall_(p.left_wall), gravity_(p.gravity) {
  check_parameters(kName, p);
  const auto balls = static_cast<std::size_t>(p.balls);
  const std::size_t contacts = balls - 1 + (p.left_wall ? 1 : 0) + (p.right_wall ? 1 : 0);
  const std::vector<double> mass = spread(kName, "mass", p.mass, balls);
  const std::vector<double> radius = spread(kName, "radius", p.radius, balls);
  mass_ = Eigen::Map<const VectorXd>(mass.data(), p.balls);
  radius_ = Eigen::Map<const VectorXd>(radius.data(), p.balls);
  set_laws(p, contacts);

  if (p.velocity.size() > balls)
    reject_parameter(kName, "velocity", fmt::format("must have at most {} values", balls),
                     fmt::format("{} values", p.velocity.size()));
  start_.v = VectorXd::Zero(p.balls);
  for (std::size_t k = 0; k < p.velocity.size(); ++k) start_.v[static_cast<Eigen::Index>(k)] = p.velocity[k];

  // The left wall is at 0, or else the first ball's left side.
  const std::vector<double> gap = spread(kName, "gap", p.gap, contacts);
  start_.q.resize(p.balls);
  double side = 0;
  std::size_t contact = 0;
  for (int i = 0; i < p.balls; ++i) {
    if (i > 0 || p.left_wall) side += gap[contact++];
    start_.q[i] = side + radius_[i];
    side = start_.q[i] + radius_[i];
  }
  right_wall_at_ = p.right_wall ? side + gap[contact] : 0;
}

void BallChain::set_laws(const BallChainParameters& p, std::size_t contacts) {
  std::vector<double> restitution = spread(kName, "restitution", p.restitution, contacts);
  std::vector<double> stiffness = spread(kName, "stiffness", p.stiffness, contacts);
  const std::vector<double> exponent = spread(kName, "exponent", p.exponent, contacts);
  set_walls("wall_restitution", p.wall_restitution, p.left_wall, p.right_wall, restitution);
  set_walls("wall_stiffness", p.wall_stiffness, p.left_wall, p.right_wall, stiffness);
  laws_.resize(contacts);
  for (std::size_t k = 0; k < contacts; ++k)
    laws_[k] = {.restitution = restitution[k], .stiffness = stiffness[k], .exponent = exponent[k]};
}

std::string BallChain::coordinate_name(int i) const { return fmt::format("x{}", i + 1); }

std::string BallChain::contact_name(int i) const {
  const int left = ball_before(i);
  if (left < 0) return "left wall";
  if (left + 1 == coordinates()) return "right wall";
  return fmt::format("{}-{}", left + 1, left + 2);
}

void BallChain::mass_matrix(VectorIn, SparseMatrix& M) const { set_diagonal(mass_, M); }

void BallChain::force(double, VectorIn, VectorIn, VectorOut F) const { F = -gravity_ * mass_; }

double BallChain::potential_energy(double, VectorIn q) const { return gravity_ * mass_.dot(q); }

void BallChain::gaps(double, VectorIn q, VectorOut g) const {
  for (int i = 0; i < contacts(); ++i) {
    const int left = ball_before(i);
    const double from = left < 0 ? 0 : q[left] + radius_[left];
    const double to = left + 1 == coordinates() ? right_wall_at_ : q[left + 1] - radius_[left + 1];
    g[i] = to - from;
  }
}

void BallChain::contact_rows(double, VectorIn, int i, ContactRows& rows) const {
  const int left = ball_before(i);
  if (left < 0)
    set_rows(1, {0}, {1.0}, {}, rows);
  else if (left + 1 == coordinates())
    set_rows(1, {left}, {-1.0}, {}, rows);
  else
    set_rows(1, {left, left + 1}, {-1.0, 1.0}, {}, rows);
}

std::vector<double> BallChain::body_energies(VectorIn, VectorIn v) const {
  std::vector<double> energies(static_cast<std::size_t>(v.size()));
  for (Eigen::Index i = 0; i < v.size(); ++i) energies[static_cast<std::size_t>(i)] = 0.5 * mass_[i] * v[i] * v[i];
  return energies;
}

}  // namespace carom
