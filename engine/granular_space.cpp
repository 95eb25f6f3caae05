#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "engine/granular.h"

namespace carom {

namespace {

// Area of the part of a disc about the origin in the quadrant x <= right, y <= top.
double disc_in_quadrant(double radius, double right, double top) {
  const double r2 = radius * radius;
  // integral of the half chord: F(x) = int sqrt(r^2 - x^2) dx
  const auto half_chord = [&](double x) {
    const double c = std::clamp(x, -radius, radius);
    return 0.5 * (c * std::sqrt(std::max(0.0, r2 - c * c)) + r2 * std::asin(std::clamp(c / radius, -1.0, 1.0)));
  };
  if (right <= -radius || top <= -radius) return 0;
  const double x_end = std::min(right, radius);
  if (top >= radius) return 2 * (half_chord(x_end) - half_chord(-radius));
  // Under the line y = top: where the circle is above it up to the line, elsewhere the whole chord if top > 0.
  const double reach = std::sqrt(r2 - top * top);
  const auto under_line = [&](double from, double to) {
    return to > from ? top * (to - from) + half_chord(to) - half_chord(from) : 0.0;
  };
  double area = under_line(std::max(-radius, -reach), std::min(x_end, reach));
  if (top > 0) {
    const auto chord = [&](double from, double to) {
      return to > from ? 2 * (half_chord(to) - half_chord(from)) : 0.0;
    };
    area += chord(-radius, std::min(x_end, -reach)) + chord(reach, x_end);
  }
  return area;
}

double disc_in_rectangle(double radius, double x0, double x1, double y0, double y1) {
  if (!(radius > 0) || x1 <= x0 || y1 <= y0) return 0;
  const auto area = [&](double x, double y) { return disc_in_quadrant(radius, x, y); };
  return area(x1, y1) - area(x0, y1) - area(x1, y0) + area(x0, y0);
}

// Nodes and weights of Gauss and Legendre, 10 points on [-1, 1].
constexpr std::array<std::array<double, 2>, 5> kGauss = {{{0.1488743389816312, 0.2955242247147529},
                                                          {0.4333953941292472, 0.2692667193099963},
                                                          {0.6794095682990244, 0.2190863625159820},
                                                          {0.8650633666889845, 0.1494513491505806},
                                                          {0.9739065285171717, 0.0666713443086881}}};

// With x = middle + half (3 t - t^3) / 2, so that powers 3/2 of the distance to an end become whole ones; t < 0 and
// t > 0 apart.
template <class F>
double integrate(double from, double to, F&& f) {
  const double middle = 0.5 * (from + to), half = 0.5 * (to - from);
  double sum = 0;
  for (const auto& [node, weight] : kGauss)
    for (const double t : {0.5 * (1 - node), 0.5 * (1 + node)}) {
      const double x = 0.5 * half * t * (3 - t * t);
      sum += 0.5 * weight * 1.5 * (1 - t * t) * (f(middle - x) + f(middle + x));
    }
  return half * sum;
}

// Side cell of a point on a square grid.
std::array<std::int64_t, 2> cell_of(const Vec3& x, double cell) {
  return {static_cast<std::int64_t>(std::floor(x.x() / cell)), static_cast<std::int64_t>(std::floor(x.y() / cell))};
}

double clamp_share(double value) { return std::clamp(value, 0.0, 1.0); }

}  // namespace

double cap_volume(double radius, double height) {
  // of the part of the sphere above a plane that lies `height` below its centre: pi d^2 (3 r - d) / 3, d = r + height
  const double d = std::clamp(radius + height, 0.0, 2 * radius);
  return M_PI * d * d * (3 * radius - d) / 3;
}

double sphere_in_box(const Vec3& centre, double radius, const Region& box) {
  const Vec3 low = box.low - centre, high = box.high - centre;
  if ((low.array() <= -radius).all() && (high.array() >= radius).all()) return 4.0 / 3.0 * M_PI * std::pow(radius, 3);
  if ((low.array() >= radius).any() || (high.array() <= -radius).any()) return 0;
  // int area(disc at z in the rectangle) dz with z = r sin(angle): smooth but where the disc's edge meets a side or a
  // corner of the rectangle; the integral is cut there.
  std::array<double, 20> cuts{};
  std::size_t count = 0;
  const auto angle_of = [&](double z) { return std::asin(std::clamp(z / radius, -1.0, 1.0)); };
  const double first = angle_of(low.z()), last = angle_of(high.z());
  cuts[count++] = first;
  cuts[count++] = last;
  const double x[] = {low.x(), high.x()}, y[] = {low.y(), high.y()};
  const auto cut_at = [&](double distance) {
    if (!(distance < radius)) return;
    const double angle = std::acos(distance / radius);
    for (const double a : {angle, -angle})
      if (a > first && a < last) cuts[count++] = a;
  };
  for (int i = 0; i < 2; ++i) {
    cut_at(std::abs(x[i]));
    cut_at(std::abs(y[i]));
    for (int j = 0; j < 2; ++j) cut_at(std::hypot(x[i], y[j]));
  }
  std::sort(cuts.begin(), cuts.begin() + static_cast<std::ptrdiff_t>(count));
  double volume = 0;
  for (std::size_t k = 0; k + 1 < count; ++k)
    volume += integrate(cuts[k], cuts[k + 1], [&](double angle) {
      const double rho = radius * std::cos(angle);
      return disc_in_rectangle(rho, x[0], x[1], y[0], y[1]) * rho;
    });
  return std::max(0.0, volume);
}

double solid_fraction(std::span<const Grain> grains, const Region& region) {
  double volume = 0;
  for (const Grain& g : grains) {
    if (!g.free) continue;
    if (g.radius > 0)
      volume += sphere_in_box(g.position, g.radius, region);
    else if (region.contains(g.position))
      volume += g.volume;
  }
  return volume / region.volume();
}

Motions motions(std::span<const Grain> grains, const Region& region) {
  Motions m;
  for (const Grain& g : grains) {
    if (!g.free || !region.contains(g.position)) continue;
    ++m.grains;
    m.mass += g.mass;
    m.velocity += g.mass * g.velocity;
    m.mean_speed += g.velocity.norm();
  }
  if (m.grains == 0) return m;
  m.velocity /= m.mass;
  m.mean_speed /= m.grains;
  for (const Grain& g : grains)
    if (g.free && region.contains(g.position)) m.temperature += g.mass * (g.velocity - m.velocity).squaredNorm();
  m.temperature /= 3 * m.mass;
  return m;
}

Profile profile(std::span<const Grain> grains, std::span<const GrainContact> contacts, const Region& region, int axis,
                int slices) {
  Profile p;
  const double low = region.low[axis], step = (region.high[axis] - low) / slices;
  const bool finite = std::isfinite(region.volume());
  // Every grain is looked at by the slices that it reaches only.
  std::vector<std::vector<Grain>> near(static_cast<std::size_t>(slices));
  const auto slice_of = [&](double x) {
    return static_cast<std::ptrdiff_t>(std::clamp(std::floor((x - low) / step), -1.0, static_cast<double>(slices)));
  };
  for (const Grain& g : grains) {
    if (!g.free) continue;
    const std::ptrdiff_t from = std::max<std::ptrdiff_t>(0, slice_of(g.position[axis] - g.radius));
    const std::ptrdiff_t to = std::min<std::ptrdiff_t>(slices - 1, slice_of(g.position[axis] + g.radius));
    for (std::ptrdiff_t s = from; s <= to; ++s) near[static_cast<std::size_t>(s)].push_back(g);
  }
  std::vector<double> ends(static_cast<std::size_t>(slices), 0.0);
  for (const GrainContact& c : contacts) {
    if (!(c.normal_force() > 0)) continue;
    for (const int body : {c.a, c.b}) {
      const Grain& g = grains[static_cast<std::size_t>(body)];
      const std::ptrdiff_t s = slice_of(g.position[axis]);
      if (g.free && s >= 0 && s < slices && region.contains(g.position)) ++ends[static_cast<std::size_t>(s)];
    }
  }
  for (int s = 0; s < slices; ++s) {
    const auto k = static_cast<std::size_t>(s);
    Region slice = region;
    slice.low[axis] = low + s * step;
    slice.high[axis] = low + (s + 1) * step;
    p.height.push_back(low + (s + 0.5) * step);
    p.solid_fraction.push_back(finite ? solid_fraction(near[k], slice) : 0.0);
    p.motion.push_back(motions(near[k], slice));
    p.contacts.push_back(p.motion.back().grains > 0 ? ends[k] / p.motion.back().grains : 0.0);
  }
  return p;
}

double mass_beyond(std::span<const Grain> grains, const Gate& gate) {
  double mass = 0;
  for (const Grain& g : grains) {
    if (!g.free) continue;
    const double height = gate.normal.dot(g.position - gate.point);
    if (g.radius > 0)
      mass += g.mass * clamp_share(cap_volume(g.radius, height) / (4.0 / 3.0 * M_PI * std::pow(g.radius, 3)));
    else
      mass += height >= 0 ? g.mass : 0.0;
  }
  return mass;
}

double mass_crossed(std::span<const Grain> before, std::span<const Grain> after, const Gate& gate) {
  double mass = 0;
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
    if (!before[i].free || !after[i].free) continue;
    const double from = gate.normal.dot(before[i].position - gate.point);
    const double to = gate.normal.dot(after[i].position - gate.point);
    if ((from >= 0) == (to >= 0)) continue;
    // where the straight way meets the plane
    const Vec3 through = before[i].position + from / (from - to) * (after[i].position - before[i].position);
    if (!((through - gate.point).norm() <= gate.radius)) continue;
    mass += to >= 0 ? after[i].mass : -after[i].mass;
  }
  return mass;
}

std::vector<Vec3> surface_points(std::span<const Grain> grains, double cell, const Region& region) {
  std::map<std::array<std::int64_t, 2>, Vec3> top;
  for (const Grain& g : grains) {
    if (!g.free || !region.contains(g.position)) continue;
    const Vec3 highest = g.position + Vec3(0, 0, g.radius);
    const auto [place, added] = top.try_emplace(cell_of(highest, cell), highest);
    if (!added && highest.z() > place->second.z()) place->second = highest;
  }
  std::vector<Vec3> points;
  for (const auto& [place, point] : top) points.push_back(point);
  return points;
}

SurfaceFit fit_slope(std::span<const Vec3> points) {
  SurfaceFit fit;
  fit.points = static_cast<int>(points.size());
  Vec3 mean = Vec3::Zero();
  for (const Vec3& p : points) mean += p / static_cast<double>(points.size());
  // Normal equations about the mean: (a, b) = C_xy^-1 c_xyz
  Mat2 C = Mat2::Zero();
  Vec2 c = Vec2::Zero();
  for (const Vec3& p : points) {
    const Vec2 d = (p - mean).head<2>();
    C += d * d.transpose();
    c += d * (p.z() - mean.z());
  }
  if (points.size() < 3 || !(C.determinant() > 1e-12 * C.trace() * C.trace())) return fit;
  const Vec2 slope = C.inverse() * c;
  double squares = 0;
  for (const Vec3& p : points) squares += std::pow(p.z() - mean.z() - slope.dot((p - mean).head<2>()), 2);
  fit.found = true;
  fit.angle = std::atan(slope.norm());
  fit.height = mean.z();
  fit.rms = std::sqrt(squares / static_cast<double>(points.size()));
  return fit;
}

SurfaceFit fit_heap(std::span<const Vec3> points, double cell, double from, double to) {
  SurfaceFit fit;
  if (points.size() < 3) return fit;
  Vec2 axis = Vec2::Zero();
  double volume = 0;
  for (const Vec3& p : points) {
    axis += std::max(0.0, p.z()) * p.head<2>();
    volume += std::max(0.0, p.z());
  }
  if (!(volume > 0)) return fit;
  axis /= volume;

  // Mean height of rings one cell wide.
  std::vector<Vec2> ring;  // sum of heights, count
  for (const Vec3& p : points) {
    const auto k = static_cast<std::size_t>((p.head<2>() - axis).norm() / cell);
    if (k >= ring.size()) ring.resize(k + 1, Vec2::Zero());
    ring[k] += Vec2(p.z(), 1);
  }
  double highest = 0;
  for (const Vec2& r : ring)
    if (r.y() > 0) highest = std::max(highest, r.x() / r.y());
  const auto ring_height = [&](double r) {
    const Vec2& sums = ring[static_cast<std::size_t>(r / cell)];
    return sums.x() / sums.y();
  };
  double n = 0, sr = 0, sz = 0, srr = 0, srz = 0, szz = 0;
  for (const Vec3& p : points) {
    const double r = (p.head<2>() - axis).norm(), share = ring_height(r) / highest;
    if (!(share >= from && share <= to)) continue;
    n += 1, sr += r, sz += p.z(), srr += r * r, srz += r * p.z(), szz += p.z() * p.z();
  }
  const double spread = n * srr - sr * sr;
  if (n < 3 || !(spread > 1e-12 * n * srr)) return fit;
  const double slope = (n * srz - sr * sz) / spread, apex = (sz - slope * sr) / n;
  fit.found = true;
  fit.points = static_cast<int>(n);
  fit.angle = std::atan(-slope);
  fit.height = apex;
  fit.rms = std::sqrt(std::max(0.0, (szz - apex * sz - slope * srz) / n));
  return fit;
}

}  // namespace carom
