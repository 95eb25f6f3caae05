// Contact problems of things people build and pour: walls, towers and arches of blocks, heaps of spheres, blocks on
// slopes. Contact points are given by construction, so that no collision detection is needed; q = H v_free after one
// step of gravity, with whatever shakes them. Most are redundant: a joint between two blocks has four contacts.
#pragma once

#include "problem_variants.h"

namespace carom {

class StructureBuilder {
 public:
  explicit StructureBuilder(double step) : step_(step) {}

  // A block of the given full size, or a sphere's ball; density 1 kg/m^3 times `density`.
  int add_block(const Vec3& position, const Vec3& size, double density = 2000) {
    const double mass = density * size.prod();
    const Vec3 square = size.cwiseAbs2();
    const Vec3 moments = mass / 12 * Vec3(square.y() + square.z(), square.x() + square.z(), square.x() + square.y());
    return add_body(position, mass, moments);
  }
  int add_ball(const Vec3& position, double radius, double density = 2000) {
    const double mass = density * 4.0 / 3 * 3.14159265358979 * radius * radius * radius;
    return add_body(position, mass, Vec3::Constant(0.4 * mass * radius * radius));
  }
  void set_velocity(int body, const Vec3& linear, const Vec3& angular) {
    velocity_[static_cast<std::size_t>(body)] = {linear, angular};
  }

  // A contact point on a (or -1) and b (or -1) with the normal towards a.
  void touch(int a, int b, const Vec3& point, const Vec3& normal, double mu) {
    const Vec3 t1 = normal.unitOrthogonal(), t2 = normal.cross(t1);
    problem_.cones.add({.kind = ConeKind::Coulomb, .dim = 3, .mu = mu});
    factors_.bodies.push_back({a, b});
    const Vec3 arm_a = a < 0 ? Vec3::Zero() : Vec3(point - position_[static_cast<std::size_t>(a)]);
    const Vec3 arm_b = b < 0 ? Vec3::Zero() : Vec3(point - position_[static_cast<std::size_t>(b)]);
    for (const Vec3& axis : {normal, t1, t2}) factors_.rows.push_back({axis, arm_a.cross(axis), -arm_b.cross(axis)});
  }
  // Four points of the rectangle centre +- u +- v.
  void touch_face(int a, int b, const Vec3& centre, const Vec3& u, const Vec3& v, const Vec3& normal, double mu) {
    for (const double s : {-1.0, 1.0}) {
      for (const double t : {-1.0, 1.0}) touch(a, b, centre + s * u + t * v, normal, mu);
    }
  }

  const DelassusFactors& factors() const { return factors_; }

  // After gravity acted for one step, and the ground moved by `ground`.
  ConeProblem problem(const Vec3& gravity = Vec3(0, 0, -9.81), const Vec3& ground = Vec3::Zero()) const {
    ConeProblem out;
    out.cones = problem_.cones;
    out.W.assembled = assemble(factors_, out.cones);
    std::vector<Twist> v = velocity_;
    for (Twist& twist : v) twist.linear += step_ * gravity - ground;
    out.q.assign(out.cones.rows(), 0.0);
    for (int i = 0; i < out.cones.count(); ++i)
      add_block_velocity(factors_, i, out.cones.offset(i), 3, v, out.q.data() + out.cones.offset(i));
    return out;
  }

 private:
  int add_body(const Vec3& position, double mass, const Vec3& moments) {
    position_.push_back(position);
    velocity_.push_back({});
    factors_.inverse_mass.push_back({1 / mass, moments.cwiseInverse().asDiagonal()});
    return static_cast<int>(position_.size()) - 1;
  }

  double step_;
  ConeProblem problem_;
  DelassusFactors factors_;
  std::vector<Vec3> position_;
  std::vector<Twist> velocity_;
};

// A wall in running bond on the ground: rows of bricks 0.2 x 0.1 x 0.1 m, side joints too.
inline StructureBuilder wall(int columns, int rows, double mu, bool side_joints) {
  StructureBuilder builder(1e-3);
  const Vec3 size(0.2, 0.1, 0.1);
  std::vector<std::vector<int>> body(static_cast<std::size_t>(rows));
  const auto left = [&](int row, int k) { return 0.2 * k + (row % 2 == 1 ? 0.1 : 0.0); };
  for (int row = 0; row < rows; ++row) {
    for (int k = 0; k < columns; ++k) {
      const Vec3 centre(left(row, k) + 0.1, 0, 0.1 * row + 0.05);
      const int brick = builder.add_block(centre, size);
      body[static_cast<std::size_t>(row)].push_back(brick);
      const Vec3 depth(0, 0.05, 0);
      if (row == 0) builder.touch_face(brick, -1, centre - Vec3(0, 0, 0.05), Vec3(0.1, 0, 0), depth, Vec3::UnitZ(), mu);
      for (int below = 0; row > 0 && below < columns; ++below) {
        const double from = std::max(left(row, k), left(row - 1, below)),
                     to = std::min(left(row, k), left(row - 1, below)) + 0.2;
        if (to - from < 0.01) continue;
        builder.touch_face(brick, body[static_cast<std::size_t>(row - 1)][static_cast<std::size_t>(below)],
                           Vec3(0.5 * (from + to), 0, 0.1 * row), Vec3(0.5 * (to - from), 0, 0), depth, Vec3::UnitZ(),
                           mu);
      }
      if (side_joints && k > 0)
        builder.touch_face(brick, brick - 1, centre - Vec3(0.1, 0, 0), depth, Vec3(0, 0, 0.05), Vec3::UnitX(), mu);
    }
  }
  return builder;
}

// A half-circle of voussoirs between two fixed springings, joints radial.
inline StructureBuilder arch(int blocks, double mu) {
  StructureBuilder builder(1e-3);
  const double pi = 3.14159265358979, inner = 1.0, outer = 1.2, middle = 1.1;
  const auto at = [&](double angle) { return Vec3(std::cos(angle), 0, std::sin(angle)); };
  for (int k = 0; k < blocks; ++k) {
    const double angle = pi * (k + 0.5) / blocks;
    builder.add_block(middle * at(angle), Vec3(pi * middle / blocks, 0.3, outer - inner));
  }
  for (int k = 0; k <= blocks; ++k) {
    const double angle = pi * k / blocks;
    const Vec3 normal(-std::sin(angle), 0, std::cos(angle));  // towards the next block
    builder.touch_face(k < blocks ? k : -1, k - 1, middle * at(angle), 0.1 * at(angle), Vec3(0, 0.15, 0), normal, mu);
  }
  return builder;
}

// Spheres of two sizes in layers of a square pyramid, each on four below.
inline StructureBuilder pyramid(int base, double mu) {
  StructureBuilder builder(1e-3);
  const double radius = 0.05;
  std::vector<int> below;
  int below_side = 0;
  for (int layer = 0; layer < base; ++layer) {
    const int side = base - layer;
    std::vector<int> here;
    const double z = radius + layer * radius * std::sqrt(2.0);
    for (int i = 0; i < side; ++i) {
      for (int j = 0; j < side; ++j) {
        const Vec3 centre(2 * radius * i + radius * layer, 2 * radius * j + radius * layer, z);
        const int ball = builder.add_ball(centre, radius, (i + j + layer) % 3 == 0 ? 8000 : 2000);
        here.push_back(ball);
        if (layer == 0) builder.touch(ball, -1, centre - Vec3(0, 0, radius), Vec3::UnitZ(), mu);
        for (int k = 0; layer > 0 && k < 4; ++k) {
          const int under = below[static_cast<std::size_t>((i + k / 2) * below_side + j + k % 2)];
          const Vec3 normal = Vec3(k / 2 ? -1 : 1, k % 2 ? -1 : 1, std::sqrt(2.0)).normalized();
          builder.touch(ball, under, centre - radius * normal, normal, mu);
        }
        if (j > 0) builder.touch(ball, ball - 1, centre - Vec3(0, radius, 0), Vec3::UnitY(), mu);
        if (i > 0) builder.touch(ball, ball - side, centre - Vec3(radius, 0, 0), Vec3::UnitX(), mu);
      }
    }
    below = here;
    below_side = side;
  }
  return builder;
}

// Blocks one upon another, each of mass `ratio` times the one below.
inline StructureBuilder tower(int blocks, double ratio, double mu) {
  StructureBuilder builder(1e-3);
  double density = 2000;
  for (int k = 0; k < blocks; ++k, density *= ratio) {
    const Vec3 centre(0.01 * (k % 3), 0.01 * (k % 2), 0.1 * k + 0.05);
    builder.add_block(centre, Vec3(0.1, 0.1, 0.1), density);
    builder.touch_face(k, k - 1, centre - Vec3(0, 0, 0.05), Vec3(0.045, 0, 0), Vec3(0, 0.045, 0), Vec3::UnitZ(), mu);
  }
  return builder;
}

// A square block on n points of its lower face.
inline StructureBuilder table(int points, double mu) {
  StructureBuilder builder(1e-3);
  const int block = builder.add_block(Vec3(0, 0, 0.5), Vec3(1, 1, 1));
  RandomStream random(5, static_cast<std::uint64_t>(points));
  for (int k = 0; k < points; ++k)
    builder.touch(block, -1, Vec3(random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5), 0), Vec3::UnitZ(), mu);
  builder.set_velocity(block, Vec3(0.01, 0.003, -0.01), Vec3(0.01, -0.02, 0.05));
  return builder;
}

inline std::vector<ProblemVariant> structured_problems() {
  const Vec3 g(0, 0, -9.81), tilted(4, 1, -9), shake(0.01, 0.002, 0);
  std::vector<ProblemVariant> list;
  list.push_back({"wall 6 x 5", wall(6, 5, 0.6, true).problem(g)});
  list.push_back({"wall 6 x 5 shaken", wall(6, 5, 0.6, true).problem(g, shake)});
  list.push_back({"wall 10 x 10 shaken", wall(10, 10, 0.3, false).problem(g, shake)});
  list.push_back({"wall 10 x 12 tilted", wall(10, 12, 0.6, true).problem(tilted)});
  list.push_back({"arch 15", arch(15, 0.7).problem(g)});
  list.push_back({"arch 31 shaken", arch(31, 0.5).problem(g, shake)});
  list.push_back({"arch 31 slips", arch(31, 0.1).problem(g)});
  list.push_back({"pyramid 6", pyramid(6, 0.4).problem(g)});
  list.push_back({"pyramid 8 shaken", pyramid(8, 0.3).problem(g, shake)});
  list.push_back({"pyramid 8 slips", pyramid(8, 0.05).problem(g)});
  list.push_back({"tower 20", tower(20, 1, 0.5).problem(g)});
  list.push_back({"tower 20 heavy top", tower(20, 1.5, 0.5).problem(g, shake)});
  list.push_back({"tower 12 light top", tower(12, 0.4, 0.5).problem(tilted)});
  list.push_back({"tower 40 shaken", tower(40, 1, 0.3).problem(g, shake)});
  for (const int points : {3, 4, 8, 16, 40})
    list.push_back({"table on " + std::to_string(points), table(points, 0.3).problem(g)});
  list.push_back({"table slides on 12", table(12, 0.1).problem(tilted)});
  return list;
}

}  // namespace carom
