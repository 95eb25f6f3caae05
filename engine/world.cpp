#include "engine/world.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/hash.h"
#include "engine/body_checks.h"
#include "engine/moreau_jean.h"
#include "engine/world_impl.h"

namespace carom {

int World::Impl::take_slot() {
  if (!free_slots.empty()) {
    const int slot = free_slots.back();
    free_slots.pop_back();
    return slot;
  }
  const int slot = state.size();
  const auto count = static_cast<std::size_t>(slot) + 1;
  state.resize(slot + 1);
  BodyProperties& p = model.bodies;
  p.kind.resize(count, BodyKind::Removed);
  p.mass.resize(count, 0.0);
  p.inverse_mass.resize(count, 0.0);
  p.inertia.resize(count, Mat3::Zero());
  p.inverse_inertia.resize(count, Mat3::Zero());
  p.gyroscopic.resize(count, 0);
  p.generation.resize(count, 0);
  p.name.resize(count);
  p.group.resize(count);
  model.motion.resize(count);
  model.initial_pose.resize(count);
  return slot;
}

World::World(const StepOptions& options) : impl_(std::make_unique<Impl>()) { impl_->options = options; }
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;
World::~World() = default;

// ---- Building ----

MaterialId World::add_material(const Material& material) { return impl_->model.materials.add(material); }
void World::set_pair(MaterialId a, MaterialId b, const PairLaw& law) { impl_->model.materials.set_pair(a, b, law); }

BodyId World::add_body(const BodySpec& spec) {
  Model& model = impl_->model;
  const std::string whose = spec.name.empty() ? fmt::format("body {}", body_count()) : spec.name;
  check_body(spec, model.materials.size(), impl_->options.planar, whose);
  if (!spec.name.empty() && impl_->by_name.contains(spec.name))
    throw InputError({"", 0, 0, whose}, "this name is in use already", fmt::format("\"{}\"", spec.name));
  const MassProperties mass = mass_properties(spec, impl_->options.planar, whose);

  const int slot = impl_->take_slot();
  const auto i = static_cast<std::size_t>(slot);
  BodyProperties& p = model.bodies;
  p.kind[i] = spec.kind;
  p.mass[i] = mass.mass;
  p.inverse_mass[i] = mass.inverse_mass;
  p.inertia[i] = mass.inertia;
  p.inverse_inertia[i] = mass.inverse_inertia;
  p.gyroscopic[i] = mass.gyroscopic ? 1 : 0;
  p.name[i] = spec.name;
  p.group[i] = spec.group;
  model.motion[i] = spec.motion;
  model.initial_pose[i] = {spec.pose.position, spec.pose.rotation.normalized()};
  if (!spec.name.empty()) impl_->by_name[spec.name] = slot;

  const BodyId id = id_of(slot);
  set_pose(id, model.initial_pose[i]);
  set_velocity(id, spec.velocity, spec.angular_velocity);
  if (spec.kind == BodyKind::Kinematic) {
    const MotionSample now = spec.motion(model.initial_pose[i], impl_->time);
    set_pose(id, now.pose);
    set_velocity(id, now.velocity, now.angular_velocity);
  }
  for (const ColliderSpec& collider : spec.colliders) {
    model.colliders.add(collider.shape, slot, collider.local, spec.kind == BodyKind::Dynamic);
    model.collider_material.push_back(collider.material);
    if (spec.kind != BodyKind::Dynamic) continue;
    const double radius = collider.shape.bounding_radius();
    model.smallest_radius = model.smallest_radius > 0 ? std::min(model.smallest_radius, radius) : radius;
  }
  return id;
}

namespace {

BodySpec one_shape(const Shape& shape, MaterialId material, BodyKind kind, const Placement& at) {
  BodySpec spec;
  spec.kind = kind;
  spec.pose = {at.position, at.rotation};
  spec.velocity = at.velocity;
  spec.angular_velocity = at.angular_velocity;
  spec.density = at.density;
  spec.colliders = {{shape, material, {}}};
  return spec;
}

}  // namespace

BodyId World::add_sphere(double radius, MaterialId material, const Placement& at) {
  return add_body(one_shape(Shape::sphere(radius), material, BodyKind::Dynamic, at));
}

BodyId World::add_box(const Vec3& full_size, MaterialId material, const Placement& at) {
  return add_body(one_shape(Shape::box(0.5 * full_size), material, BodyKind::Dynamic, at));
}

BodyId World::add_fixed(const Shape& shape, MaterialId material, const Pose& at) {
  return add_body(one_shape(shape, material, BodyKind::Fixed, {.position = at.position, .rotation = at.rotation}));
}

BodyId World::add_half_space(const Vec3& normal, const Vec3& point, MaterialId material) {
  if (!(normal.norm() > 0) || !normal.allFinite())
    throw InputError({"", 0, 0, "half-space"}, "its normal must be finite and not zero",
                     fmt::format("[{}, {}, {}]", normal.x(), normal.y(), normal.z()));
  return add_fixed(Shape::half_space(), material, {point, Quat::FromTwoVectors(Vec3::UnitZ(), normal)});
}

void World::remove_body(BodyId id) {
  const int slot = impl_->slot_of(id);
  const auto i = static_cast<std::size_t>(slot);
  Model& model = impl_->model;
  impl_->by_name.erase(model.bodies.name[i]);
  model.bodies.kind[i] = BodyKind::Removed;
  model.bodies.mass[i] = model.bodies.inverse_mass[i] = 0;
  model.bodies.inverse_inertia[i].setZero();
  model.bodies.name[i].clear();
  model.motion[i] = nullptr;
  impl_->remove_joints_of(slot);
  impl_->break_bonds_of(slot);
  ++model.bodies.generation[i];
  impl_->state.velocity[i].setZero();
  impl_->state.spin[i].setZero();
  for (int k = 0; k < model.colliders.size(); ++k)
    if (model.colliders.body[static_cast<std::size_t>(k)] == slot)
      model.colliders.alive[static_cast<std::size_t>(k)] = 0;
  impl_->free_slots.push_back(slot);
}

void World::set_gravity(const Gravity& gravity) {
  if (!gravity.acceleration.allFinite() || !(gravity.ramp >= 0))
    throw InputError({"", 0, 0, "gravity"}, "must be finite, with a ramp >= 0");
  if (!std::isfinite(gravity.tilt_rate) || !std::isfinite(gravity.tilt_from) || !(gravity.tilt_most >= 0) ||
      !(std::abs(gravity.tilt_axis.norm() - 1) < 1e-9))
    throw InputError({"", 0, 0, "gravity"}, "a tilt needs a unit axis, a finite rate and a largest angle >= 0");
  impl_->model.forces.gravity = gravity;
}

void World::add_load(const Load& load) {
  impl_->slot_of(load.body);
  impl_->model.forces.loads.push_back(load);
}

void World::add_force_field(ForceField field) { impl_->model.forces.fields.push_back(std::move(field)); }
void World::set_solver(std::unique_ptr<Solver> solver) {
  CAROM_CHECK(solver != nullptr, "a world needs a solver");
  impl_->solver = std::move(solver);
}
void World::set_impact_law(std::unique_ptr<ImpactLaw> law) { impl_->impact_law = std::move(law); }

// ---- Stepping ----

const StepReport& World::step(double h) {
  if (!(h > 0) || !std::isfinite(h))
    throw InputError({"", 0, 0, "step"}, "must be finite and > 0", fmt::format("{}", h));
  check_options(impl_->options);
  impl_->list_apart();
  impl_->solver->offer_threads(impl_->options.threads);
  const StepMethods methods = {*impl_->solver, impl_->impact_law.get()};
  moreau_jean_step(impl_->model, impl_->options, methods, impl_->time, h, impl_->state, impl_->context, impl_->report);
  impl_->time += h;
  impl_->report.step = ++impl_->step;
  impl_->report.time = impl_->time;
  if (impl_->interfaces) impl_->interfaces->watch(*this, h);
  return impl_->report;
}

double World::time() const { return impl_->time; }
double World::last_step_size() const { return impl_->context.warm.h; }
std::int64_t World::step_count() const { return impl_->step; }
StepOptions& World::options() { return impl_->options; }
const StepOptions& World::options() const { return impl_->options; }
const Solver& World::solver() const { return *impl_->solver; }

// ---- Reading ----

int World::body_count() const { return impl_->state.size(); }
bool World::contains(BodyId id) const {
  return id.index < static_cast<std::uint32_t>(impl_->state.size()) &&
         impl_->model.bodies.generation[id.index] == id.generation &&
         impl_->model.bodies.kind[id.index] != BodyKind::Removed;
}
std::optional<BodyId> World::find(const std::string& name) const {
  const auto it = impl_->by_name.find(name);
  if (it == impl_->by_name.end()) return std::nullopt;
  return id_of(it->second);
}
BodyId World::id_of(int index) const {
  CAROM_CHECK(index >= 0 && index < body_count(), "index of a body slot");
  return {static_cast<std::uint32_t>(index), impl_->model.bodies.generation[static_cast<std::size_t>(index)]};
}
const BodyState& World::state() const { return impl_->state; }
const BodyProperties& World::properties() const { return impl_->model.bodies; }
const Colliders& World::colliders() const { return impl_->model.colliders; }
bool World::resists_rolling() const {
  const Model& model = impl_->model;
  bool any = std::any_of(model.body_laws.begin(), model.body_laws.end(),
                         [](const auto& pair) { return pair.law.rolling_friction > 0; });
  for (int a = 0; a < model.materials.size(); ++a)
    for (int b = 0; b <= a; ++b) any |= model.materials.law({a}, {b}).rolling_friction > 0;
  return any;
}
const MaterialTable& World::materials() const { return impl_->model.materials; }
const Forces& World::forces() const { return impl_->model.forces; }
MaterialId World::material_of(int collider) const {
  return impl_->model.collider_material.at(static_cast<std::size_t>(collider));
}

Vec3 World::position(BodyId id) const { return impl_->state.position[static_cast<std::size_t>(impl_->slot_of(id))]; }
Quat World::rotation(BodyId id) const { return impl_->state.rotation[static_cast<std::size_t>(impl_->slot_of(id))]; }
Vec3 World::velocity(BodyId id) const { return impl_->state.velocity[static_cast<std::size_t>(impl_->slot_of(id))]; }
Vec3 World::angular_velocity(BodyId id) const {
  const auto i = static_cast<std::size_t>(impl_->slot_of(id));
  return impl_->state.rotation[i] * impl_->state.spin[i];
}
void World::set_pose(BodyId id, const Pose& pose) {
  const auto i = static_cast<std::size_t>(impl_->slot_of(id));
  impl_->state.position[i] = pose.position;
  impl_->state.rotation[i] = pose.rotation.normalized();
}
void World::set_velocity(BodyId id, const Vec3& velocity, const Vec3& angular_velocity) {
  const auto i = static_cast<std::size_t>(impl_->slot_of(id));
  impl_->state.velocity[i] = velocity;
  impl_->state.spin[i] = impl_->state.rotation[i].conjugate() * angular_velocity;
}

const StepReport& World::last_report() const { return impl_->report; }

void World::contact_records(std::vector<ContactRecord>& out) const {
  const StepContext& c = impl_->context;
  const Cones& cones = c.problem.cones;
  out.resize(c.found.key.size());
  for (int i = 0; i < c.found.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const int offset = cones.offset(i), dim = 1 + cones[i].tangents();
    ContactRecord& record = out[k];
    record.key = c.found.key[k];
    record.body_a = c.active.bodies[k][0];
    record.body_b = c.active.bodies[k][1];
    record.point = c.found.point[k];
    record.normal = c.found.normal[k];
    record.gap = c.found.gap[k];
    record.impulse_world = c.impulse_world[k];
    record.impulse.setZero();
    record.velocity.setZero();
    record.impulse.head(dim) = c.impulse.segment(offset, dim);
    record.moment = c.warm.moment.empty() ? Vec3::Zero() : c.warm.moment[k];
    double apex = 0, disc = 0;
    if (!c.bonds.bond.empty() && c.bonds.bond[k] >= 0) {
      apex = c.apex[offset];
      if (c.bonds.disc[k] >= 0) {
        disc = c.bonds.radius[static_cast<std::size_t>(c.bonds.disc[k])];
        record.impulse += c.active.frame[k] * c.bonds.disc_impulse[static_cast<std::size_t>(c.bonds.point[k])];
      }
    }
    record.velocity.head(dim) = c.u.segment(offset, dim);
    const double pressed = record.impulse[0] + apex, limit = cones[i].mu * pressed + disc;
    const double tangential = record.impulse.tail<2>().norm();
    record.status = pressed <= 0                                               ? ContactStatus::Open
                    : (dim > 1 || disc > 0) && tangential < limit * (1 - 1e-9) ? ContactStatus::Stick
                                                                               : ContactStatus::Slip;
  }
}

const ConeProblem& World::last_problem() const { return impl_->context.problem; }
VectorXd World::last_impulses() const { return impl_->context.r; }
EnergyReport World::energies() const {
  EnergyReport e = energies_of(impl_->model, impl_->state, impl_->time);
  e.elastic = elastic_energy(impl_->model, impl_->state, impl_->context.joints.memory);
  return e;
}

Vec3 World::linear_momentum() const {
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; i < impl_->state.velocity.size(); ++i)
    sum += impl_->model.bodies.mass[i] * impl_->state.velocity[i];
  return sum;
}

Vec3 World::angular_momentum() const {
  const BodyState& s = impl_->state;
  const BodyProperties& p = impl_->model.bodies;
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; i < s.velocity.size(); ++i) {
    if (p.kind[i] != BodyKind::Dynamic) continue;
    sum += p.mass[i] * s.position[i].cross(s.velocity[i]) + s.rotation[i] * (p.inertia[i] * s.spin[i]);
  }
  return sum;
}

std::uint64_t World::state_hash() const {
  StateHash hash;
  const BodyState& s = impl_->state;
  hash.add(impl_->time);
  for (std::size_t i = 0; i < s.position.size(); ++i) {
    hash.add(std::span(s.position[i].data(), 3));
    hash.add(std::span(s.rotation[i].coeffs().data(), 4));
    hash.add(std::span(s.velocity[i].data(), 3));
    hash.add(std::span(s.spin[i].data(), 3));
  }
  for (const Vec3& impulse : impl_->context.warm.impulse) hash.add(std::span(impulse.data(), 3));
  for (const Vec3& moment : impl_->context.warm.moment) hash.add(std::span(moment.data(), 3));
  hash.add(impl_->joint_memory());
  for (const Vec3& impulse : impl_->context.bonds.disc_impulse) hash.add(std::span(impulse.data(), 3));
  hash.add(static_cast<std::uint64_t>(impl_->context.bonds.broken_count));
  return hash.value();
}

void World::touching(double margin, std::vector<ContactRecord>& out) const {
  impl_->list_apart();
  const Model& model = impl_->model;
  std::vector<Pose> poses(static_cast<std::size_t>(model.colliders.size()));
  for (std::size_t k = 0; k < poses.size(); ++k)
    poses[k] = pose_of(impl_->state, model.colliders.body[k]) * model.colliders.local[k];
  ContactDetector detector;
  ContactSet found;
  detect_contacts(model, impl_->options, margin, poses, detector, found);
  out.resize(found.key.size());
  for (std::size_t k = 0; k < found.key.size(); ++k) {
    out[k] = {.key = found.key[k],
              .body_a = model.colliders.body[found.key[k].a],
              .body_b = model.colliders.body[found.key[k].b],
              .point = found.point[k],
              .normal = found.normal[k],
              .gap = found.gap[k],
              .impulse_world = Vec3::Zero(),
              .impulse = Vec3::Zero(),
              .velocity = Vec3::Zero()};
  }
}

std::vector<World::Overlap> World::find_overlaps(double tolerance) const {
  std::vector<ContactRecord> contacts;
  touching(0, contacts);
  std::vector<Overlap> overlaps;
  for (const ContactRecord& contact : contacts)
    if (-contact.gap > tolerance) overlaps.push_back({contact.body_a, contact.body_b, -contact.gap});
  std::stable_sort(overlaps.begin(), overlaps.end(),
                   [](const Overlap& x, const Overlap& y) { return x.depth > y.depth; });
  return overlaps;
}

// ---- Restart ----

WorldSnapshot World::snapshot() const {
  WorldSnapshot s;
  s.time = impl_->time;
  s.step = impl_->step;
  s.last_h = impl_->context.warm.h;
  s.bodies = impl_->state;
  s.warm_keys = impl_->context.warm.key;
  for (const Vec3& impulse : impl_->context.warm.impulse)
    s.warm_impulses.insert(s.warm_impulses.end(), impulse.data(), impulse.data() + 3);
  for (const Vec3& moment : impl_->context.warm.moment)
    s.warm_moments.insert(s.warm_moments.end(), moment.data(), moment.data() + 3);
  s.joints.assign(impl_->joint_memory().begin(), impl_->joint_memory().end());
  const ActiveBonds& bonds = impl_->context.bonds;
  for (std::size_t b = 0; b < bonds.broken.size(); ++b)
    if (bonds.broken[b] != 0) s.broken_bonds.push_back(static_cast<std::uint32_t>(b));
  for (const Vec3& impulse : bonds.disc_impulse)
    s.bond_impulses.insert(s.bond_impulses.end(), impulse.data(), impulse.data() + 3);
  if (impl_->interfaces) s.interfaces = impl_->interfaces->memory();
  return s;
}

void World::restore(const WorldSnapshot& s) {
  if (s.bodies.size() != body_count())
    throw InputError({"", 0, 0, "checkpoint"}, "belongs to another scene",
                     fmt::format("{} bodies, the scene has {}", s.bodies.size(), body_count()));
  if (s.warm_impulses.size() != 3 * s.warm_keys.size())
    throw InputError({"", 0, 0, "checkpoint"}, "contact keys and impulses disagree in number");
  if (!s.warm_moments.empty() && s.warm_moments.size() != s.warm_impulses.size())
    throw InputError({"", 0, 0, "checkpoint"}, "contact keys and rolling moments disagree in number");
  impl_->restore_joints(s.joints);
  impl_->restore_bonds(s.broken_bonds, s.bond_impulses);
  if (impl_->interfaces) impl_->interfaces->restore(s.interfaces);
  impl_->time = s.time;
  impl_->step = s.step;
  impl_->state = s.bodies;
  WarmStart& warm = impl_->context.warm;
  warm.h = s.last_h;
  warm.key = s.warm_keys;
  warm.impulse.resize(s.warm_keys.size());
  for (std::size_t i = 0; i < warm.impulse.size(); ++i)
    warm.impulse[i] = Eigen::Map<const Vec3>(&s.warm_impulses[3 * i]);
  warm.moment.resize(s.warm_moments.empty() ? 0 : s.warm_keys.size());
  for (std::size_t i = 0; i < warm.moment.size(); ++i) warm.moment[i] = Eigen::Map<const Vec3>(&s.warm_moments[3 * i]);
}

}  // namespace carom
