// The interfaces of a World: laws of single pairs of bodies, bonds, and what is watched.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "engine/contact_face.h"
#include "engine/world_impl.h"

namespace carom {

void World::Impl::break_bonds_of(int body) {
  ActiveBonds& active = context.bonds;
  for (std::size_t b = 0; b < model.bonds.size(); ++b) {
    const Bond& bond = model.bonds[b];
    if (active.broken[b] != 0 || (bond.bodies[0] != body && bond.bodies[1] != body)) continue;
    active.broken[b] = 1;
    ++active.broken_count;
  }
}

void World::Impl::restore_bonds(const std::vector<std::uint32_t>& broken, const std::vector<double>& impulses) {
  ActiveBonds& active = context.bonds;
  const bool fits = impulses.size() == 3 * active.disc_impulse.size() &&
                    std::all_of(broken.begin(), broken.end(), [&](auto b) { return b < active.broken.size(); });
  if (!fits)
    throw InputError({"", 0, 0, "checkpoint"}, "belongs to another scene: its cohesive interfaces differ");
  std::fill(active.broken.begin(), active.broken.end(), std::uint8_t{0});
  for (std::uint32_t b : broken) active.broken[b] = 1;
  active.broken_count = static_cast<int>(std::count(active.broken.begin(), active.broken.end(), std::uint8_t{1}));
  for (std::size_t i = 0; i < active.disc_impulse.size(); ++i)
    active.disc_impulse[i] = Eigen::Map<const Vec3>(&impulses[3 * i]);
}

void World::set_pair(BodyId a, BodyId b, const PairLaw& law) {
  const int i = impl_->slot_of(a), j = impl_->slot_of(b);
  const auto name = [&](int body) { return impl_->model.bodies.name[static_cast<std::size_t>(body)]; };
  const std::string whose = fmt::format("pair \"{}\" - \"{}\"", name(i), name(j));
  if (i == j) throw InputError({"", 0, 0, whose}, "a body has no interface with itself");
  check_law(law, whose);
  std::vector<Model::BodyPairLaw>& laws = impl_->model.body_laws;
  const Model::BodyPairLaw entry = {{std::min(i, j), std::max(i, j)}, law};
  const auto place = std::lower_bound(laws.begin(), laws.end(), entry,
                                      [](const auto& x, const auto& y) { return x.bodies < y.bodies; });
  if (place != laws.end() && place->bodies == entry.bodies)
    *place = entry;
  else
    laws.insert(place, entry);
}

int World::bond_interfaces(double margin, double critical) {
  const auto demand = [](double value, const char* field, bool holds) {
    if (!holds) throw InputError({"", 0, 0, field}, "out of range", fmt::format("{}", value));
  };
  demand(margin, "margin", std::isfinite(margin) && margin >= 0);
  demand(critical, "critical", std::isfinite(critical) && critical > 0);
  Model& model = impl_->model;
  std::vector<ContactRecord> records;
  touching(margin, records);
  model.bonds.clear();
  std::size_t points_so_far = 0;
  for (std::size_t i = 0; i < records.size();) {
    std::size_t end = i;
    while (end < records.size() && records[end].key.a == records[i].key.a && records[end].key.b == records[i].key.b)
      ++end;
    const ContactRecord& first = records[i];
    const PairLaw law = pair_law(model, first.key.a, first.key.b);
    std::vector<Vec3> points;
    for (std::size_t k = i; k < end; ++k) points.push_back(records[k].point);
    i = end;
    if (!law.bonds()) continue;
    const auto depth = [&](std::uint32_t collider) {
      const Quat rotation = impl_->state.rotation[static_cast<std::size_t>(model.colliders.body[collider])] *
                            model.colliders.local[collider].rotation;
      return depth_along(model.colliders.shape[collider], rotation, *impl_->options.planar);
    };
    const std::vector<double> areas = impl_->options.planar
                                          ? end_areas(points, std::min(depth(first.key.a), depth(first.key.b)))
                                          : corner_areas(points, first.normal);
    if (areas.empty()) continue;  // an edge or a point
    Bond bond;
    bond.collider_a = first.key.a;
    bond.collider_b = first.key.b;
    bond.bodies = {first.body_a, first.body_b};
    const Pose a = pose_of(impl_->state, first.body_a), b = pose_of(impl_->state, first.body_b);
    bond.normal_b = b.rotation.conjugate() * first.normal;
    bond.tensile = law.tensile_strength;
    bond.cohesion = law.cohesion;
    bond.critical = critical;
    bond.first_point = points_so_far;
    for (std::size_t k = 0; k < points.size(); ++k) {
      if (!(areas[k] > 0)) continue;
      bond.points.push_back({a.to_local(points[k]), b.to_local(points[k]), areas[k]});
      bond.area += areas[k];
    }
    points_so_far += bond.points.size();
    model.bonds.push_back(std::move(bond));
  }
  ActiveBonds& active = impl_->context.bonds;
  active.broken.assign(model.bonds.size(), 0);
  active.broken_count = 0;
  active.disc_impulse.assign(points_so_far, Vec3::Zero());
  return static_cast<int>(model.bonds.size());
}

void World::watch_interfaces(const InterfaceOptions& options) {
  auto monitor = std::make_unique<InterfaceMonitor>();
  monitor->begin(*this, options);
  impl_->interfaces = std::move(monitor);
}

const InterfaceMonitor* World::interfaces() const { return impl_->interfaces.get(); }
const std::vector<Bond>& World::bonds() const { return impl_->model.bonds; }
bool World::bond_holds(std::size_t bond) const { return impl_->context.bonds.broken.at(bond) == 0; }

}  // namespace carom
