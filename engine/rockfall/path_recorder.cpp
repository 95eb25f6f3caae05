#include "engine/rockfall/path_recorder.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace carom::rockfall {

namespace {

// Where a number that changes evenly passes whole numbers.
struct WholeCrossings {
  double start, rate;
  double next;  // the whole number that comes

  WholeCrossings(double from, double per_second) : start(from), rate(per_second) {
    next = rate > 0 ? std::floor(from) + 1 : std::ceil(from) - 1;
  }
  double time() const { return rate == 0 ? std::numeric_limits<double>::infinity() : (next - start) / rate; }
  void pass() { next += rate > 0 ? 1 : -1; }
};

}  // namespace

void PathRecorder::begin(double mass, bool with_path, TrajectoryRecord& record) {
  record_ = &record;
  mass_ = mass;
  with_path_ = with_path;
  interval_ = options_.path_interval;
  next_point_ = 0;
  pending_.clear();
}

bool PathRecorder::travel(Arc& arc) {
  const HeightField& field = *ground_.field;
  pending_.clear();
  // Pieces over one triangle of the ground and one raster cell: lines at whole and half samples and on diagonals.
  const double u = arc.position.x() / field.spacing_x, v = arc.position.y() / field.spacing_y;
  const double du = arc.velocity.x() / field.spacing_x, dv = arc.velocity.y() / field.spacing_y;
  std::array<WholeCrossings, 3> lines = {WholeCrossings(2 * u, 2 * du), WholeCrossings(2 * v, 2 * dv),
                                         WholeCrossings(u - v, du - dv)};
  bool on_map = true;
  double from = 0;
  while (true) {
    std::size_t first = 0;
    for (std::size_t k = 1; k < 3; ++k)
      if (lines[k].time() < lines[first].time()) first = k;
    const double to = std::clamp(lines[first].time(), from, arc.duration), middle = 0.5 * (from + to);
    const Vec3 at = arc.position_at(middle);
    const auto below = field.ground(at.x(), at.y());
    if (!below) {
      arc.duration = from;
      on_map = false;
      break;
    }
    // height(s) = z(s) - ground(s), a parabola over one plane: its ends and, where it is within, its top
    const double rise = -below->normal.head<2>().dot(arc.velocity.head<2>()) / below->normal.z();
    const auto height = [&](double s) { return arc.position_at(s).z() - below->height - (s - middle) * rise; };
    double most = std::max(height(from), height(to));
    const double top = arc.acceleration < 0 ? (rise - arc.velocity.z()) / arc.acceleration : -1;
    if (top > from && top < to) most = std::max(most, height(top));
    visit(ground_.cell_at(at.x(), at.y()), arc, from, to, most);
    if (to >= arc.duration) break;
    from = to;
    lines[first].pass();
  }
  cross(arc);
  if (with_path_) add_points(arc);
  std::sort(pending_.begin(), pending_.end(), [](const Pending& p, const Pending& q) {
    return p.time != q.time ? p.time < q.time : p.crossing < q.crossing;
  });
  record_->summary.length += 0.5 * arc.duration *
                             (0.5 * (arc.velocity_at(0).norm() + arc.velocity_at(arc.duration).norm()) +
                              arc.velocity_at(0.5 * arc.duration).norm());
  return on_map;
}

void PathRecorder::visit(std::uint32_t cell, const Arc& arc, double from, double to, double height) {
  std::vector<CellVisit>& visits = record_->visits;
  if (visits.empty() || visits.back().cell != cell) visits.push_back({cell, 0, 0, 0, 0});
  CellVisit& v = visits.back();
  const double speed2 = std::max(arc.velocity_at(from).squaredNorm(), arc.velocity_at(to).squaredNorm());
  const double speed = std::sqrt(speed2), translational = 0.5 * mass_ * speed2;
  v.speed = std::max(v.speed, static_cast<float>(speed));
  v.translational = std::max(v.translational, static_cast<float>(translational));
  v.rotational = std::max(v.rotational, static_cast<float>(arc.rotational));
  v.height = std::max(v.height, static_cast<float>(height));
  TrajectorySummary& s = record_->summary;
  s.speed = std::max(s.speed, speed);
  s.translational = std::max(s.translational, translational);
  s.rotational = std::max(s.rotational, arc.rotational);
  s.height = std::max(s.height, height);
}

void PathRecorder::cross(const Arc& arc) {
  const Vec2 p = arc.position.head<2>(), d = arc.duration * arc.velocity.head<2>();
  if (d.isZero(0)) return;
  const auto turn = [](const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); };
  for (std::uint32_t b = 0; b < barriers_.size(); ++b) {
    const std::vector<Vec2>& line = barriers_[b].points;
    for (std::size_t k = 0; k + 1 < line.size(); ++k) {
      // p + s d = line_k + t e,  s in [0, 1), t in [0, 1)
      const Vec2 e = line[k + 1] - line[k], to = line[k] - p;
      const double area = turn(d, e);
      if (area == 0) continue;
      const double s = turn(to, e) / area, t = turn(to, d) / area;
      if (!(s >= 0 && s < 1 && t >= 0 && t < 1)) continue;
      if (record_->crossings.size() >= options_.most_crossings) return;
      const double time = s * arc.duration;
      Crossing c;
      c.barrier = b;
      c.time = arc.start + time;
      c.position = arc.position_at(time);
      c.velocity = arc.velocity_at(time);
      c.translational = 0.5 * mass_ * c.velocity.squaredNorm();
      c.rotational = arc.rotational;
      const auto below = ground_.field->ground(c.position.x(), c.position.y());
      c.height = below ? c.position.z() - below->height : 0;
      pending_.push_back({time, true, record_->crossings.size()});
      record_->crossings.push_back(c);
    }
  }
}

void PathRecorder::add_points(const Arc& arc) {
  std::vector<PathPoint>& path = record_->path;
  while (next_point_ < arc.start + arc.duration) {
    if (path.size() + 1 >= options_.most_points) {
      // Thin out: every second point stays.
      std::size_t kept = 0;
      for (std::size_t k = 0; k < path.size(); k += 2) path[kept++] = path[k];
      path.resize(kept);
      std::erase_if(pending_, [](const Pending& p) { return !p.crossing && p.index % 2 != 0; });
      for (Pending& p : pending_)
        if (!p.crossing) p.index /= 2;
      interval_ *= 2;
      next_point_ = path.empty() ? next_point_ : path.back().time + interval_;
      continue;
    }
    const double s = std::max(0.0, next_point_ - arc.start);
    pending_.push_back({s, false, path.size()});
    path.push_back({arc.start + s, arc.position_at(s), arc.velocity_at(s), Vec3::Zero()});
    next_point_ += interval_;
  }
}

void PathRecorder::set_angular_velocity(std::size_t k, const Vec3& angular_velocity) {
  const Pending& p = pending_[k];
  (p.crossing ? record_->crossings[p.index].angular_velocity : record_->path[p.index].angular_velocity) =
      angular_velocity;
}

void PathRecorder::finish(double time, const Vec3& position, const Vec3& velocity, const Vec3& angular_velocity) {
  if (with_path_ && (record_->path.empty() || record_->path.back().time < time))
    record_->path.push_back({time, position, velocity, angular_velocity});
  // A cell that was left and entered again is one visit.
  std::vector<CellVisit>& visits = record_->visits;
  std::sort(visits.begin(), visits.end(), [](const CellVisit& a, const CellVisit& b) { return a.cell < b.cell; });
  std::size_t kept = 0;
  for (const CellVisit& v : visits) {
    if (kept == 0 || visits[kept - 1].cell != v.cell) {
      visits[kept++] = v;
      continue;
    }
    CellVisit& w = visits[kept - 1];
    w.speed = std::max(w.speed, v.speed);
    w.translational = std::max(w.translational, v.translational);
    w.rotational = std::max(w.rotational, v.rotational);
    w.height = std::max(w.height, v.height);
  }
  visits.resize(kept);
}

}  // namespace carom::rockfall
