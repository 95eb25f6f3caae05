#include "solvers/sphere_sweep.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

namespace carom {

namespace {

using Body = SphereSweep::Body;
using Changes = SphereSweep::Changes;
using Contact = SphereSweep::Contact;

std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

// How much kinetic energy per impulse squared, of a contact's own, may be left out: rounding of positions leaves arms
// that are not quite along the normal.
constexpr double kNegligible = 1e-20;

// What the visits of a sweep share.
struct Visits {
  const Contact* contacts;
  SphereSweep::Four* impulses;
  const SphereSweep::Four* last_impulses;  // nullptr: none
  Body* bodies;
};

namespace any_machine {
#include "solvers/sphere_visits.inc"
}
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define CAROM_AVX2_VISITS
#pragma GCC push_options
#pragma GCC target("avx2")
namespace avx2 {
#include "solvers/sphere_visits.inc"
}
#pragma GCC pop_options
#endif

bool has_vectors() {
#ifdef CAROM_AVX2_VISITS
  static const bool has = __builtin_cpu_supports("avx2") != 0;
  return has;
#else
  return false;
#endif
}

// 1/I where inertia is the same about all axes, else a negative number.
double isotropic(const InverseMass& mass) {
  const Mat3& J = mass.angular;
  const double j = J(0, 0);
  return (J - j * Mat3::Identity()).squaredNorm() <= kNegligible * j * j ? j : -1.0;
}

}  // namespace

bool SphereSweep::may_take(const ConeProblem& problem) {
  if (!problem.W.factors || !problem.W.factors->compliance.empty()) return false;
  const std::vector<InverseMass>& masses = problem.W.factors->inverse_mass;
  return std::all_of(masses.begin(), masses.end(), [](const InverseMass& mass) { return isotropic(mass) >= 0; });
}

void SphereSweep::make_room(const ConeProblem& problem) {
  const std::size_t contacts = at(problem.cones.count());
  contacts_.resize(contacts);
  impulses_.resize(contacts);
  last_impulses_.resize(contacts);
  bodies_.resize(problem.W.factors->inverse_mass.size());
  last_bodies_.resize(bodies_.size());
}

bool SphereSweep::prepare(const ConeProblem& problem, std::span<const int> order, Threads threads) {
  if (!problem.W.factors || !problem.W.factors->compliance.empty()) return false;
  problem_ = &problem;
  order_ = order;
  threads_ = threads;
  forget();
  make_room(problem);
  parallel_for(threads, static_cast<std::ptrdiff_t>(bodies_.size()), [&](std::ptrdiff_t i) {
    const InverseMass& mass = problem.W.factors->inverse_mass[at(i)];
    bodies_[at(i)] = {.linear = {0, 0, 0, mass.linear}, .angular = {0, 0, 0, isotropic(mass)}};
  });
  std::atomic<bool> spheres = true;
  parallel_for(threads, problem.cones.count(), [&](std::ptrdiff_t place) {
    if (spheres.load(std::memory_order_relaxed) && !prepare_contact(static_cast<int>(place)))
      spheres.store(false, std::memory_order_relaxed);
  });
  return spheres;
}

// False unless it is a contact of spheres.
bool SphereSweep::prepare_contact(int place) {
  const int i = block(place);
  const DelassusFactors& factors = *problem_->W.factors;
  const Cone& cone = problem_->cones[i];
  const bool frictional = cone.kind == ConeKind::Coulomb && cone.dim == 3;
  if (!frictional && cone.kind != ConeKind::Orthant) return false;
  const int offset = problem_->cones.offset(i);
  const FactorRow* H = factors.rows.data() + offset;
  const Vec3 n = H[0].linear;
  Contact& contact = contacts_[at(place)];
  contact.a = factors.bodies[at(i)][0];
  contact.b = factors.bodies[at(i)][1];
  if (contact.a == contact.b) return false;
  // angular rows of a sphere with its arm -l n: 0, -l n x t1, -l n x t2; of the other with its arm l n likewise
  const Vec3 n_t1 = frictional ? n.cross(H[1].linear).eval() : Vec3::Zero();
  const Vec3 n_t2 = frictional ? n.cross(H[2].linear).eval() : Vec3::Zero();
  double mass = 0, turning = 0, left_out = 0;
  const auto arm = [&](int body, const auto& angular) {
    if (body < 0) return 0.0;
    const double j = bodies_[at(body)].angular[3], l = frictional ? -angular(1).dot(n_t1) : 0.0;
    left_out += j < 0 ? std::numeric_limits<double>::infinity() : j * angular(0).squaredNorm();
    if (frictional) left_out += j * ((angular(1) + l * n_t1).squaredNorm() + (angular(2) + l * n_t2).squaredNorm());
    mass += bodies_[at(body)].linear[3];
    turning += j * l * l;
    return l;
  };
  contact.arm_a = arm(contact.a, [&](int k) -> const Vec3& { return H[k].angular_a; });
  contact.arm_b = arm(contact.b, [&](int k) -> const Vec3& { return H[k].angular_b; });
  const double crooked = std::abs(n.squaredNorm() - 1) +
                         (frictional ? std::abs(n_t1.squaredNorm() - 1) + std::abs(n_t2.squaredNorm() - 1) +
                                           std::abs(H[1].linear.dot(H[2].linear))
                                     : 0.0);
  if (!(left_out <= kNegligible * mass) || !(crooked <= 1e-10)) return false;

  const double* q = problem_->q.data() + offset;
  Vec3 velocity = q[0] * n;
  if (frictional) velocity += q[1] * H[1].linear + q[2] * H[2].linear;
  std::copy_n(n.data(), 3, contact.normal);
  contact.normal[3] = frictional ? cone.mu : 0.0;
  std::copy_n(velocity.data(), 3, contact.velocity);
  contact.velocity[3] = 1 / mass;
  contact.inverse_wt = 1 / (mass + turning);
  impulses_[at(place)].x[3] = frictional ? mass + 2 * turning / 3 : mass;
  return true;
}

void SphereSweep::read(VectorIn r) {
  parallel_for(threads_, static_cast<std::ptrdiff_t>(contacts_.size()), [&](std::ptrdiff_t place) {
    const int i = block(static_cast<int>(place)), offset = problem_->cones.offset(i);
    const FactorRow* H = problem_->W.factors->rows.data() + offset;
    Vec3 world = r[offset] * H[0].linear;
    for (int k = 1; k < problem_->cones.dim(i); ++k) world += r[offset + k] * H[k].linear;
    std::copy_n(world.data(), 3, impulses_[at(place)].x);
  });
}

void SphereSweep::read(const std::vector<Twist>& v) {
  parallel_for(threads_, static_cast<std::ptrdiff_t>(v.size()), [&](std::ptrdiff_t i) {
    std::copy_n(v[at(i)].linear.data(), 3, bodies_[at(i)].linear);
    std::copy_n(v[at(i)].angular.data(), 3, bodies_[at(i)].angular);
  });
}

void SphereSweep::write(VectorOut r) const {
  parallel_for(threads_, static_cast<std::ptrdiff_t>(contacts_.size()), [&](std::ptrdiff_t place) {
    const int i = block(static_cast<int>(place)), offset = problem_->cones.offset(i);
    const FactorRow* H = problem_->W.factors->rows.data() + offset;
    const Vec3 world(impulses_[at(place)].x[0], impulses_[at(place)].x[1], impulses_[at(place)].x[2]);
    for (int k = 0; k < problem_->cones.dim(i); ++k) r[offset + k] = H[k].linear.dot(world);
    project(problem_->cones[i], r.data() + offset);  // rounding must not leave the cone
  });
}

Changes SphereSweep::visit(int begin, int end) {
  const Visits visits{.contacts = contacts_.data(),
                      .impulses = impulses_.data(),
                      .last_impulses = remembers_ ? last_impulses_.data() : nullptr,
                      .bodies = bodies_.data()};
#ifdef CAROM_AVX2_VISITS
  if (has_vectors() && !leave_vectors_out) return avx2::visit(visits, begin, end);
#endif
  return any_machine::visit(visits, begin, end);
}

// The fourth numbers of x and x_before are the same, and stay.
void SphereSweep::extrapolate(double factor) {
  const auto ahead = [factor](double* now, double* before) {
    for (int k = 0; k < 4; ++k) {
      const double x = now[k];
      now[k] = x + factor * (x - before[k]);
      before[k] = x;
    }
  };
  const bool first = !remembers_;
  parallel_for(threads_, static_cast<std::ptrdiff_t>(impulses_.size()), [&](std::ptrdiff_t i) {
    if (first) last_impulses_[at(i)] = impulses_[at(i)];
    ahead(impulses_[at(i)].x, last_impulses_[at(i)].x);
  });
  parallel_for(threads_, static_cast<std::ptrdiff_t>(bodies_.size()), [&](std::ptrdiff_t i) {
    if (first) last_bodies_[at(i)] = bodies_[at(i)];
    ahead(bodies_[at(i)].linear, last_bodies_[at(i)].linear);
    ahead(bodies_[at(i)].angular, last_bodies_[at(i)].angular);
  });
  remembers_ = true;
}

}  // namespace carom
