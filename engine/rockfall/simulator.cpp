#include "engine/rockfall/simulator.h"

#include <algorithm>
#include <cmath>

#include "contact/narrow_phase.h"
#include "engine/moreau_jean.h"
#include "engine/rockfall/streams.h"
#include "engine/rotation.h"

namespace carom::rockfall {

namespace {

constexpr double kTouching = 1e-7;   // of the radius: bodies this near touch, as in StepOptions
constexpr double kLeastStep = 1e-7;  // s
constexpr int kMostMisses = 20;      // touches in a row that were none when looked at again
constexpr double kForever = std::numeric_limits<double>::infinity();

StepOptions step_options(const SimulationOptions&) {
  StepOptions options;
  options.projection = true;
  options.projection_fraction = 0.5;
  return options;
}

}  // namespace

Simulator::Simulator(const Ground& ground, const GroundDistance& distance, std::span<const Barrier> barriers,
                     const SimulationOptions& options, std::uint64_t seed, std::unique_ptr<ImpactLaw> law)
    : ground_(ground),
      distance_(distance),
      options_(options),
      seed_(seed),
      recorder_(ground, barriers, options.record),
      model_(ground),
      step_options_(step_options(options)),
      law_(std::move(law)) {
  model_.forces.gravity.acceleration = Vec3(0, 0, -options.gravity);
  state_.resize(2);
  before_.resize(2);
}

void Simulator::run(const Start& start, TrajectoryRecord& record) {
  start_ = &start;
  record_ = &record;
  record.clear();
  model_.set_block(start.block);
  margin_ = kTouching * start.block.radius;
  step_options_.projection_slop = options_.depth * start.block.radius;
  state_.position = {start.pose.position, Vec3::Zero()};
  state_.rotation = {start.pose.rotation.normalized(), Quat::Identity()};
  state_.velocity = {start.velocity, Vec3::Zero()};
  state_.spin = {state_.rotation[0].conjugate() * start.angular_velocity, Vec3::Zero()};
  context_.warm.key.clear();
  context_.warm.impulse.clear();
  context_.warm.moment.clear();
  absorbed_.clear();
  roughness_ = stream_of(seed_, Purpose::Roughness, start.number);
  time_ = anchored_ = 0;
  anchor_ = {state_.position[0], state_.rotation[0]};
  ended_ = false;
  contact_ = true;
  misses_ = 0;

  TrajectorySummary& s = record.summary;
  s.number = start.number;
  s.release = start.release;
  s.kind = start.kind;
  s.volume = start.block.volume;
  s.mass = start.block.mass;
  s.start = start.pose.position;
  recorder_.begin(start.block.mass, start.with_path, record);
  while (!ended_) {
    if (contact_ && in_contact_step()) continue;
    if (!ended_) fly();
  }
}

void Simulator::end(StopReason reason) {
  if (ended_) return;
  ended_ = true;
  TrajectorySummary& s = record_->summary;
  s.reason = reason;
  s.time = time_;
  s.end = state_.position[0];
  recorder_.finish(time_, state_.position[0], state_.velocity[0], angular_velocity());
}

double Simulator::rotational() const { return 0.5 * state_.spin[0].dot(model_.bodies.inertia[0] * state_.spin[0]); }
double Simulator::kinetic() const {
  return 0.5 * model_.bodies.mass[0] * state_.velocity[0].squaredNorm() + rotational();
}

// ---- In the air ----

Simulator::Free Simulator::present() const {
  return {state_.position[0], state_.velocity[0], state_.rotation[0], state_.spin[0]};
}

Simulator::Free Simulator::flown(const Free& from, double s) const {
  const Vec3 g(0, 0, -options_.gravity);
  Free to = from;
  to.position += s * (from.velocity + 0.5 * s * g);
  to.velocity += s * g;
  const double speed = from.spin.norm();
  if (speed == 0 || s == 0) return to;
  if (model_.bodies.gyroscopic[0] == 0) {
    to.rotation = (from.rotation * Quat(Eigen::AngleAxisd(speed * s, from.spin / speed))).normalized();
    return to;
  }
  const int turns = static_cast<int>(std::ceil(speed * s / options_.turn));
  const double ds = s / turns;
  for (int k = 0; k < turns; ++k) {
    const Vec3 w =
        gyroscopic_step(model_.bodies.inertia[0], model_.bodies.inverse_inertia[0], to.spin, Vec3::Zero(), ds);
    to.rotation = rotated(to.rotation, 0.5 * ds * (to.spin + w));
    to.spin = w;
  }
  return to;
}

// How long the ball around the block is certainly clear of ground and stems, 0 when it is not for as long as a step
// near the ground: no farther than it is from them, time after time.
double Simulator::clear_time(double most) const {
  const Vec3 v0 = state_.velocity[0];
  const double g = options_.gravity, radius = start_->block.radius + margin_, least = near_step();
  double time = 0;
  while (time < most) {
    const Vec3 x = state_.position[0] + time * (v0 - Vec3(0, 0, 0.5 * g * time));
    const double speed = Vec3(v0 - Vec3(0, 0, g * time)).norm();
    double way = distance_.at_least(*ground_.field, x) - radius;
    if (!ground_.forest.empty() && way > 0) {
      const Vec3 around = Vec3::Constant(radius + way);
      ground_.forest.for_each_near(x - around, x + around, [&](std::uint32_t k) {
        const Stem& stem = ground_.forest.stems[k];
        way = std::min(way, (stem.at - x.head<2>()).norm() - 0.5 * stem.diameter - radius);
      });
    }
    // |v| t + g t^2 / 2 = way
    const double piece = way > 0 ? 2 * way / (speed + std::sqrt(speed * speed + 2 * g * way)) : 0;
    if (piece < least) break;
    time += std::min(piece, most - time);
  }
  return time;
}

double Simulator::near_step() const {
  const double size = std::min(start_->block.radius, ground_.smallest_cell());
  const double speed = state_.velocity[0].norm() + state_.spin[0].norm() * start_->block.radius;
  return std::min(options_.step, options_.travel * size / std::max(speed, 1e-12));
}

// Time until the centre leaves the grid's rectangle, but no longer than the time limit allows.
static double time_on_map(const HeightField& field, const Vec3& x, const Vec3& v, double most) {
  const double side[2] = {field.spacing_x * (field.columns - 1), field.spacing_y * (field.rows - 1)};
  for (int k = 0; k < 2; ++k) {
    if (v[k] > 0) most = std::min(most, (side[k] - x[k]) / v[k]);
    if (v[k] < 0) most = std::min(most, -x[k] / v[k]);
  }
  return std::max(0.0, most);
}

bool Simulator::fly() {
  const double left = options_.time_limit - time_;
  if (!(left > 0)) {
    end(StopReason::TimeLimit);
    return false;
  }
  const double rim = time_on_map(*ground_.field, state_.position[0], state_.velocity[0], left);
  if (rim < left && rim < kLeastStep) {
    end(StopReason::LeftMap);
    return false;
  }
  const double far = clear_time(rim);
  if (far > 0) return fly_for(far);

  // Near the ground: as far as nothing touches at the end.
  const double h = std::min(near_step(), left);
  const Free next = flown(present(), h);
  find_contacts({next.position, next.rotation}, next.velocity, next.rotation * next.spin);
  if (context_.foreseen.size() == 0 || ++misses_ > kMostMisses) return fly_for(h);
  const double touch = time_to_touch(h);
  contact_ = true;
  return touch > 0 ? fly_for(touch) : true;
}

// The overlap there is at most about `depth` of the radius.
double Simulator::time_to_touch(double h) {
  const Free now = present();
  const double allowed = options_.depth * start_->block.radius;
  double low = 0, high = h;
  for (int k = 0; k < 40; ++k) {
    const Free there = flown(now, high);
    const Approach a = find_contacts({there.position, there.rotation}, there.velocity, there.rotation * there.spin);
    if (context_.foreseen.size() > 0 && -a.deepest <= allowed) return high;
    if (context_.foreseen.size() == 0) return high;  // found between: as good as touching
    // Back along the approach of the deepest contact, to half of what is allowed; at most halving the interval badly.
    double guess = a.speed > 0 ? high - (-a.deepest - 0.5 * allowed) / a.speed : 0.5 * (low + high);
    if (!(guess > low && guess < high)) guess = 0.5 * (low + high);
    const Free between = flown(now, guess);
    find_contacts({between.position, between.rotation}, between.velocity, between.rotation * between.spin);
    if (context_.foreseen.size() > 0)
      high = guess;
    else
      low = guess;
    if ((high - low) * std::max(a.speed, 1e-3) < 0.5 * allowed) return high;
  }
  return high;
}

bool Simulator::fly_for(double s) {
  Arc arc{time_, s, state_.position[0], state_.velocity[0], -options_.gravity, rotational(), {}};
  const bool on_map = recorder_.travel(arc);
  const Free now = present();
  Free at = now;
  double reached = 0;
  for (std::size_t k = 0; k < recorder_.pending(); ++k) {
    const double t = std::min(recorder_.pending_time(k), arc.duration);
    at = flown(at, t - reached);
    reached = t;
    recorder_.set_angular_velocity(k, at.rotation * at.spin);
  }
  at = flown(at, arc.duration - reached);
  // The parabola from its own start, not in pieces.
  const Vec3 g(0, 0, -options_.gravity);
  state_.position[0] = now.position + arc.duration * (now.velocity + 0.5 * arc.duration * g);
  state_.velocity[0] = now.velocity + arc.duration * g;
  state_.rotation[0] = at.rotation;
  state_.spin[0] = at.spin;
  time_ += arc.duration;
  context_.warm.key.clear();
  context_.warm.impulse.clear();
  context_.warm.moment.clear();
  if (!on_map) {
    end(StopReason::LeftMap);
    return false;
  }
  return true;
}

// ---- In contact ----

Simulator::Approach Simulator::find_contacts(const Pose& pose, const Vec3& velocity, const Vec3& omega) {
  BlockContext& c = context_;
  c.foreseen.clear();
  const Shape& shape = model_.colliders.shape[0];
  collide(0, shape, pose, 1, model_.colliders.shape[1], Pose{}, margin_, c.foreseen);
  c.stem.assign(c.foreseen.key.size(), -1);
  Approach a;
  if (!ground_.forest.empty()) {
    const Vec3 reach = Vec3::Constant(start_->block.radius + margin_);
    ground_.forest.for_each_near(pose.position - reach, pose.position + reach, [&](std::uint32_t number) {
      for (const auto& [stem, energy] : absorbed_)
        if (stem == number && energy == kForever) return;
      near_stems_.clear();
      const Shape cylinder =
          Shape::cylinder(0.5 * ground_.forest.stems[number].diameter, ground_.forest.half_length_of(number));
      collide(0, shape, pose, 2, cylinder, ground_.forest.pose_of(number), margin_, near_stems_);
      for (std::size_t k = 0; k < near_stems_.key.size(); ++k) {
        const ContactKey key{0, 2, std::uint64_t{number} << 32 | k};
        c.foreseen.push(key, near_stems_.point[k], near_stems_.normal[k], near_stems_.gap[k]);
        c.stem.push_back(static_cast<int>(number));
        a.stems = true;
      }
    });
  }
  a.deepest = kForever;
  for (std::size_t k = 0; k < c.foreseen.key.size(); ++k) {
    const double gap = c.foreseen.gap[k];
    const double speed =
        -c.foreseen.normal[k].dot(contact_velocity(c.foreseen.point[k], pose.position, velocity, omega));
    a.deepest = std::min(a.deepest, gap);
    if (speed > a.speed) a.speed = speed, a.gap = gap;
  }
  return a;
}

bool Simulator::in_contact_step() {
  if (!(options_.time_limit - time_ > 0)) {
    end(StopReason::TimeLimit);
    return true;
  }
  const double allowed = options_.depth * start_->block.radius;
  double h = std::min(near_step(), options_.time_limit - time_);
  Approach approach;
  for (int tries = 0; tries < 30; ++tries) {
    predict_midpoint(model_, step_options_, state_, time_, h, context_);
    approach = find_contacts({context_.mid.position[0], context_.mid.rotation[0]}, context_.mid.velocity[0],
                             context_.mid.rotation[0] * context_.mid.spin[0]);
    if (context_.foreseen.size() == 0) {
      contact_ = false;
      return false;
    }
    if (!(approach.speed * 0.5 * h > allowed) || h <= kLeastStep) break;
    // Where that contact was at the start: if apart, go until it touches, else strike.
    const double at_start = approach.gap + 0.5 * h * approach.speed;
    const double wanted = std::max(2 * allowed, at_start > allowed ? at_start : 0.0) / approach.speed;
    h = std::max(kLeastStep, std::min(wanted, 0.7 * h));
  }
  step_contacts(h, approach);
  return true;
}

void Simulator::set_laws(const BodyState& mid) {
  const ContactSet& found = context_.foreseen;
  const Vec3 omega = mid.rotation[0] * mid.spin[0];
  context_.laws.resize(found.key.size());
  for (std::size_t k = 0; k < found.key.size(); ++k) {
    PairLaw& law = context_.laws[k];
    law = {};
    const double speed =
        -found.normal[k].dot(contact_velocity(found.point[k], mid.position[0], mid.velocity[0], omega));
    if (context_.stem[k] >= 0) {
      law.friction = ground_.forest.friction;
      law.restitution = ground_.forest.restitution;
    } else {
      const GroundClass& ground = ground_.class_at(found.point[k].x(), found.point[k].y());
      law.friction = ground.friction;
      law.restitution = ground.restitution_at(std::max(0.0, speed), model_.bodies.mass[0]);
      law.tangential_restitution = ground.tangential_restitution;
      law.rolling_friction = ground.rolling_friction;
      law.stiffness = ground.stiffness;
      law.exponent = ground.exponent;
    }
    // A contact that opens while others are struck: with e = 1 Newton's law gives it no energy,
    // r_n (u_n+ + u_n-) = (1 - e) r_n u_n-.
    if (speed < 0 && law_ == nullptr) law.restitution = 1;
  }
}

// The slope that an impact meets: all normals of the ground turned alike, by an angle drawn for this impact.
void Simulator::roughen(const BodyState& mid, const Approach& approach) {
  if (!(approach.speed > options_.impact_speed)) return;
  ContactSet& found = context_.foreseen;
  const Vec3 omega = mid.rotation[0] * mid.spin[0];
  std::size_t hardest = found.key.size();
  double most = 0;
  for (std::size_t k = 0; k < found.key.size(); ++k) {
    const double speed =
        -found.normal[k].dot(contact_velocity(found.point[k], mid.position[0], mid.velocity[0], omega));
    if (context_.stem[k] < 0 && speed > most) most = speed, hardest = k;
  }
  if (hardest == found.key.size()) return;
  const double deviation = ground_.class_at(found.point[hardest].x(), found.point[hardest].y()).roughness;
  if (!(deviation > 0)) return;
  const double angle = std::clamp(deviation * roughness_.normal(), -3 * deviation, 3 * deviation);
  const double about = roughness_.uniform(0, 2 * M_PI);
  const Vec3& n = found.normal[hardest];
  const Vec3 t1 = n.unitOrthogonal(), t2 = n.cross(t1);
  const Eigen::AngleAxisd tilt(angle, std::cos(about) * t1 + std::sin(about) * t2);
  // Only slopes that the block still runs into.
  const Vec3 u = contact_velocity(found.point[hardest], mid.position[0], mid.velocity[0], omega);
  if (!((tilt * n).dot(u) < 0)) return;
  for (std::size_t k = 0; k < found.key.size(); ++k)
    if (context_.stem[k] < 0) found.normal[k] = tilt * found.normal[k];
}

void Simulator::step_contacts(double h, const Approach& approach) {
  misses_ = 0;
  TrajectorySummary& s = record_->summary;
  const bool impact = approach.speed > options_.impact_speed;
  roughen(context_.mid, approach);
  set_laws(context_.mid);
  if (approach.stems) before_ = state_;
  const double energy = kinetic();
  const Vec3 from = state_.position[0], arriving = state_.velocity[0];
  moreau_jean_step(model_, step_options_, StepMethods{solver_, law_.get()}, time_, h, state_, context_, report_);
  ++s.steps;
  if (report_.status != SolveStatus::Solved) ++s.unsolved;
  if (!state_.position[0].allFinite() || !state_.velocity[0].allFinite() || !state_.spin[0].allFinite()) {
    state_.position[0] = from;
    state_.velocity[0].setZero();
    state_.spin[0].setZero();
    return end(StopReason::Failed);
  }
  if (approach.stems && stems_break()) return;
  if (impact) ++s.impacts;
  keep_account(energy, impact);
  s.worst_depth = std::max(s.worst_depth, -approach.deepest / start_->block.radius);
  scar(h, impact);

  Arc arc{time_, h, from, (state_.position[0] - from) / h, 0, rotational(), 0.5 * (arriving + state_.velocity[0])};
  const bool on_map = recorder_.travel(arc);
  for (std::size_t k = 0; k < recorder_.pending(); ++k) recorder_.set_angular_velocity(k, angular_velocity());
  time_ += h;
  if (!on_map) return end(StopReason::LeftMap);
  const Vec3& at = state_.position[0];
  const auto below = ground_.field->ground(at.x(), at.y());
  if (below && at.z() < below->height - 0.5 * start_->block.half_thickness) return end(StopReason::BelowGround);
  if (at_rest()) end(StopReason::AtRest);
}

// No point of the block is farther than rest_speed rest_time from where it was rest_time ago. Speeds would not tell:
// what trembles on its corners falls for some steps at a time.
bool Simulator::at_rest() {
  const double moved = (state_.position[0] - anchor_.position).norm() +
                       start_->block.radius * state_.rotation[0].angularDistance(anchor_.rotation);
  if (moved > options_.rest_speed * options_.rest_time) {
    anchor_ = {state_.position[0], state_.rotation[0]};
    anchored_ = time_;
  }
  return time_ - anchored_ >= options_.rest_time;
}

// Where Newton's law with friction gave energy, it is counted.
void Simulator::keep_account(double before, bool impact) {
  const double created = report_.energy.contact_work;
  if (!(created > 0)) return;
  TrajectorySummary& s = record_->summary;
  s.created += created;
  if (impact) s.worst_gain = std::max(s.worst_gain, created / before);
}

// A stem takes up what a collision with it dissipates. One that this would fell takes only what it can: the collision
// is undone, the block goes on with so much less energy and the stem is gone for this trajectory.
bool Simulator::stems_break() {
  const BlockContext& c = context_;
  bool broken = false;
  for (std::size_t k = 0; k < c.found.key.size(); ++k) {
    if (c.stem[k] < 0 || (k > 0 && c.stem[k - 1] == c.stem[k])) continue;
    double dissipated = 0;
    for (std::size_t i = k; i < c.found.key.size() && c.stem[i] == c.stem[k]; ++i) {
      const int offset = c.problem.cones.offset(static_cast<int>(i)), dim = c.problem.cones.dim(static_cast<int>(i));
      dissipated -= 0.5 * c.impulse.segment(offset, dim).dot(c.u.segment(offset, dim) + c.u_minus.segment(offset, dim));
    }
    if (!(dissipated > 0)) continue;
    const auto number = static_cast<std::uint32_t>(c.stem[k]);
    auto entry = std::find_if(absorbed_.begin(), absorbed_.end(), [&](const auto& e) { return e.first == number; });
    if (entry == absorbed_.end()) entry = absorbed_.insert(absorbed_.end(), {number, 0.0});
    const double can = breaking_energy(ground_.forest.stems[number].diameter, ground_.forest.energy_share);
    const double left = can - entry->second;
    if (dissipated <= left) {
      entry->second += dissipated;
      continue;
    }
    if (!broken) state_ = before_;
    broken = true;
    const double energy = kinetic(), share = std::sqrt(std::max(0.0, 1 - left / std::max(energy, left)));
    state_.velocity[0] *= share;
    state_.spin[0] *= share;
    entry->second = kForever;
    ++record_->summary.broken_stems;
  }
  return broken;
}

// v' = v / (1 + t (linear + quadratic |v|)): never turns a block around.
void Simulator::scar(double h, bool impact) {
  const BlockContext& c = context_;
  for (std::size_t k = 0; k < c.found.key.size(); ++k) {
    if (c.stem[k] >= 0 || !(c.impulse[c.problem.cones.offset(static_cast<int>(k))] > 0)) continue;
    const GroundClass& ground = ground_.class_at(c.found.point[k].x(), c.found.point[k].y());
    if (ground.drag_linear == 0 && ground.drag_quadratic == 0) return;
    const double t = h + (impact ? ground.scar_time : 0.0);
    state_.velocity[0] /= 1 + t * (ground.drag_linear + ground.drag_quadratic * state_.velocity[0].norm());
    return;
  }
}

}  // namespace carom::rockfall
