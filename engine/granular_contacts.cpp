#include <algorithm>
#include <cmath>

#include "engine/granular.h"

namespace carom {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// One pair of bodies that press on each other, whatever the number of points.
struct BodyPair {
  int a = 0, b = 0;
  auto operator<=>(const BodyPair&) const = default;
};

std::vector<BodyPair> pressing_pairs(std::span<const GrainContact> contacts, double least_force) {
  std::vector<BodyPair> pairs;
  for (const GrainContact& c : contacts)
    if (c.normal_force() > least_force) pairs.push_back({std::min(c.a, c.b), std::max(c.a, c.b)});
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

// The share of the segment from p to q that lies in the region (Liang, Barsky: clip its parameter by each slab).
double share_inside(const Vec3& p, const Vec3& q, const Region& region) {
  double from = 0, to = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const double d = q[axis] - p[axis];
    if (d == 0) {
      if (p[axis] < region.low[axis] || p[axis] >= region.high[axis]) return 0;
      continue;
    }
    const double s = (region.low[axis] - p[axis]) / d, t = (region.high[axis] - p[axis]) / d;
    from = std::max(from, std::min(s, t));
    to = std::min(to, std::max(s, t));
  }
  return std::max(0.0, to - from);
}

}  // namespace

std::vector<Grain> grains_of(const World& world) {
  const BodyState& state = world.state();
  const BodyProperties& bodies = world.properties();
  const Colliders& colliders = world.colliders();
  std::vector<Grain> grains(at(world.body_count()));
  for (std::size_t i = 0; i < grains.size(); ++i) {
    grains[i].position = state.position[i];
    grains[i].velocity = state.velocity[i];
    grains[i].mass = bodies.mass[i];
    grains[i].free = bodies.kind[i] == BodyKind::Dynamic;
  }
  for (int k = 0; k < colliders.size(); ++k) {
    if (colliders.alive[at(k)] == 0 || !colliders.shape[at(k)].bounded()) continue;
    const Shape& shape = colliders.shape[at(k)];
    Grain& grain = grains[at(colliders.body[at(k)])];
    const bool whole = shape.kind == ShapeKind::Sphere && grain.volume == 0 && colliders.local[at(k)].position.isZero();
    grain.radius = whole ? shape.radius : 0;
    grain.volume += solid_properties(shape).volume;
  }
  return grains;
}

std::vector<GrainContact> grain_contacts(std::span<const ContactRecord> records, double h) {
  std::vector<GrainContact> contacts;
  contacts.reserve(records.size());
  for (const ContactRecord& r : records)
    contacts.push_back({r.body_a, r.body_b, r.point, r.normal, r.impulse_world / h});
  return contacts;
}

Coordination coordination(std::span<const Grain> grains, std::span<const GrainContact> contacts, const Region& region,
                          double least_force, int bearing) {
  Coordination result;
  const std::vector<BodyPair> pairs = pressing_pairs(contacts, least_force);
  std::vector<int> count(grains.size(), 0);
  for (const BodyPair& pair : pairs) {
    ++count[at(pair.a)];
    ++count[at(pair.b)];
  }
  const auto counted = [&](int i) { return grains[at(i)].free && region.contains(grains[at(i)].position); };
  for (std::size_t i = 0; i < grains.size(); ++i) {
    if (!counted(static_cast<int>(i))) continue;
    ++result.grains;
    result.rattlers += count[i] < bearing ? 1 : 0;
    result.mean += count[i];
    if (at(count[i]) >= result.histogram.size()) result.histogram.resize(at(count[i]) + 1, 0);
    ++result.histogram[at(count[i])];
  }
  for (const BodyPair& pair : pairs) {
    result.contacts += counted(pair.a) || counted(pair.b) ? 1 : 0;
    // A contact bears load where both sides do.
    const auto bears = [&](int i) { return !grains[at(i)].free || count[at(i)] >= bearing; };
    if (!bears(pair.a) || !bears(pair.b)) continue;
    result.mechanical += (counted(pair.a) ? 1 : 0) + (counted(pair.b) ? 1 : 0);
  }
  if (result.grains > 0) result.mean /= result.grains;
  const int bearers = result.grains - result.rattlers;
  if (bearers > 0) result.mechanical /= bearers;
  return result;
}

Mat3 fabric_tensor(std::span<const GrainContact> contacts, const Region& region, double least_force) {
  Mat3 fabric = Mat3::Zero();
  int count = 0;
  for (const GrainContact& c : contacts) {
    if (!(c.normal_force() > least_force) || !region.contains(c.point)) continue;
    fabric += c.normal * c.normal.transpose();
    ++count;
  }
  return count > 0 ? Mat3(fabric / count) : fabric;
}

double deviator_norm(const Mat3& tensor) {
  const Mat3 deviator = tensor - tensor.trace() / 3 * Mat3::Identity();
  return std::sqrt(1.5) * deviator.norm();
}

Mat3 contact_stress(std::span<const Grain> grains, std::span<const GrainContact> contacts, const Region& region) {
  Mat3 sum = Mat3::Zero();
  for (const GrainContact& c : contacts) {
    const Vec3 from = grains[at(c.b)].free ? grains[at(c.b)].position : c.point;
    const Vec3 to = grains[at(c.a)].free ? grains[at(c.a)].position : c.point;
    sum += share_inside(from, to, region) * c.force * (to - from).transpose();
  }
  return sum / region.volume();
}

Mat3 kinetic_stress(std::span<const Grain> grains, const Region& region) {
  const Vec3 mean = motions(grains, region).velocity;
  Mat3 sum = Mat3::Zero();
  for (const Grain& g : grains) {
    if (!g.free || !region.contains(g.position)) continue;
    sum += g.mass * (g.velocity - mean) * (g.velocity - mean).transpose();
  }
  return sum / region.volume();
}

ForceDistribution force_distribution(std::span<const GrainContact> contacts, const Region& region, int bins,
                                     double most) {
  ForceDistribution result;
  std::vector<double> forces;
  for (const GrainContact& c : contacts) {
    const double f = c.normal_force();
    if (!(f > 0) || !region.contains(c.point)) continue;
    forces.push_back(f);
    result.mean += f;
    result.mobilized += (c.force - f * c.normal).norm() / f;
  }
  result.contacts = static_cast<int>(forces.size());
  result.bin = most / bins;
  result.density.assign(at(bins), 0.0);
  if (forces.empty()) return result;
  const auto count = static_cast<double>(forces.size());
  result.mean /= count;
  result.mobilized /= count;
  double squares = 0;
  for (const double force : forces) {
    const double f = force / result.mean;
    squares += (f - 1) * (f - 1);
    result.largest = std::max(result.largest, f);
    if (f < most) result.density[static_cast<std::size_t>(f / result.bin)] += 1 / (count * result.bin);
  }
  result.deviation = std::sqrt(squares / count);
  return result;
}

}  // namespace carom
