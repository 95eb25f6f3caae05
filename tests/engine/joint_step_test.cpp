// Joints as part of the step: order, memory, restart, impacts, errors.
#include "engine/joint_step.h"

#include <doctest/doctest.h>

#include "allocation_counter.h"
#include "base/error.h"
#include "engine/impact/condensation.h"
#include "engine/impact/lzb.h"
#include "engine/impact/poisson.h"
#include "jointed_worlds.h"

using namespace carom;

namespace {

// Chains of balls that hang from the world, fall onto a floor and each other, with every kind of joint and whatever
// acts along them.
World chains(int count, int threads, bool projection = true) {
  StepOptions options;
  options.threads.count = threads;
  options.projection = projection;
  World world(options);
  world.set_solver(
      make_solver("nsgs", {{"measure", "velocity"}, {"tolerance", 1e-5}, {"max_iterations", std::int64_t{60}}}));
  const MaterialId m = world.add_material({.name = "m", .friction = 0.4, .restitution = 0.2});
  world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), m);
  const std::array types = {JointType::Ball,  JointType::Revolute, JointType::Prismatic, JointType::Cylindrical,
                            JointType::Fixed, JointType::Planar,   JointType::Distance,  JointType::Spring};
  for (int c = 0; c < count; ++c) {
    std::optional<BodyId> last;
    for (int k = 0; k < 6; ++k) {
      const Vec3 at(0.35 * (c % 8) + 0.21 * k, 0.22 * (c / 8), 0.5 + 0.02 * k);
      const BodyId ball = world.add_sphere(0.1, m, {.position = at});
      const JointType type = types[static_cast<std::size_t>(c + k) % types.size()];
      JointSpec spec = {
          .type = type, .a = ball, .b = last, .anchor = at - Vec3(0.1, 0, 0), .axis = Vec3(0.1 * k, 1, 0)};
      if (type == JointType::Distance || type == JointType::Spring) spec.anchor_a = Vec3::Zero();
      if (type == JointType::Spring) spec.slide = {.stiffness = 500, .damping = 2};
      if (type == JointType::Revolute) spec.turn = {.lower = -0.5, .upper = 0.5, .restitution = 0.3, .friction = 0.01};
      if (type == JointType::Prismatic) spec.slide = {.lower = -0.05, .upper = 0.05, .friction_coefficient = 0.2};
      if (type == JointType::Cylindrical) spec.slide = {.stiffness = 100, .damping = 1}, spec.turn.motor_speed = 3;
      if (k > 0 || c % 3 == 0) world.add_joint(spec);
      last = ball;
    }
  }
  return world;
}

}  // namespace

TEST_CASE("joints, contacts, limits, friction, motors and springs: the same bits for 1, 2 and 5 threads") {
  const auto hash = [](int threads) {
    World world = chains(16, threads);
    for (int i = 0; i < 300; ++i) world.step(2e-3);
    REQUIRE(world.last_report().contacts > 10);
    return world.state_hash();
  };
  const std::uint64_t serial = hash(1);
  CHECK(hash(2) == serial);
  CHECK(hash(5) == serial);
}

TEST_CASE("a restored world with joints goes on bit for bit") {
  World straight = chains(4, 1);
  for (int i = 0; i < 300; ++i) straight.step(2e-3);
  World first = chains(4, 1);
  for (int i = 0; i < 170; ++i) first.step(2e-3);
  const WorldSnapshot snapshot = first.snapshot();
  CHECK(snapshot.joints.size() == static_cast<std::size_t>(first.joint_count()) * kJointMemoryDoubles);
  World second = chains(4, 1);
  second.restore(snapshot);
  for (int i = 170; i < 300; ++i) second.step(2e-3);
  CHECK(second.state_hash() == straight.state_hash());
  WorldSnapshot other = snapshot;
  other.joints.pop_back();
  CHECK_THROWS_AS(second.restore(other), InputError);
}

TEST_CASE("the steady-state step with joints allocates nothing") {
  if (!AllocationCounter::available()) {
    MESSAGE("skipped: sanitizers own malloc");
    return;
  }
  for (bool projection : {false, true}) {
    World world = chains(8, 1, projection);
    for (int i = 0; i < 800; ++i) world.step(2e-3);
    AllocationCounter counter;
    for (int i = 0; i < 100; ++i) world.step(2e-3);
    const long allocations = counter.count();
    CHECK(allocations == 0);
  }
}

TEST_CASE("the energy balance closes over joints, contacts and bodies in prescribed motion") {
  World world = chains(6, 1);
  BodySpec shaker;
  shaker.kind = BodyKind::Kinematic;
  shaker.pose.position = Vec3(0, 0, 2);
  shaker.motion = harmonic(Vec3(1, 0.5, 0), 0.05, 2.0);
  const BodyId moving = world.add_body(shaker);
  const BodyId hung = add_mass(world, {.mass = 0.5, .position = Vec3(0, 0, 1.5)});
  world.add_joint({.type = JointType::Ball, .a = hung, .b = moving, .anchor = Vec3(0, 0, 2)});
  double before = total_energy(world.energies()), boundary = 0, joint = 0;
  for (int i = 0; i < 500; ++i) {
    const EnergyReport& e = world.step(2e-3).energy;
    const double work = e.external_work + e.boundary_work + e.contact_work + e.joint_work + e.projection_work;
    CHECK(std::abs(e.balance_error) < 1e-12);
    CHECK(total_energy(e) - before == doctest::Approx(work).epsilon(1e-9).scale(1));
    before = total_energy(e);
    boundary = std::max(boundary, std::abs(e.boundary_work));
    joint = std::min(joint, e.joint_work);
  }
  CHECK(boundary > 1e-4);
  CHECK(joint < -1e-5);
}

TEST_CASE("bodies that a joint connects do not touch each other unless told to") {
  for (const bool collide : {false, true}) {
    World world;
    const BodyId a = world.add_sphere(0.2, {}, {.position = Vec3(0, 0, 0)});
    const BodyId b = world.add_sphere(0.2, {}, {.position = Vec3(0.3, 0, 0)});
    const JointId joint =
        world.add_joint({.type = JointType::Ball, .a = a, .b = b, .anchor = Vec3(0.15, 0, 0), .collide = collide});
    CHECK(world.find_overlaps(1e-3).size() == (collide ? 1 : 0));
    CHECK(world.step(1e-3).contacts == (collide ? 1 : 0));
    world.remove_joint(joint);
    CHECK(world.step(1e-3).contacts == 1);
  }
}

TEST_CASE("removing a body removes its joints; handles of removed joints are known as such") {
  World world = world_of_joints();
  const BodyId a = add_mass(world, {.position = Vec3(1, 0, 0)}), b = add_mass(world, {.position = Vec3(2, 0, 0)});
  const JointId one = world.add_joint({.name = "one", .type = JointType::Ball, .a = a});
  const JointId two =
      world.add_joint({.name = "two", .type = JointType::Ball, .a = b, .b = a, .anchor = Vec3(1.5, 0, 0)});
  world.step(1e-3);
  CHECK(world.find_joint("two") == two);
  world.remove_body(b);
  CHECK_FALSE(world.contains(two));
  CHECK(world.contains(one));
  CHECK_FALSE(world.find_joint("two"));
  world.step(1e-3);
  const BodyId c = add_mass(world, {.position = Vec3(2, 0, 0)});
  const JointId three =
      world.add_joint({.name = "two", .type = JointType::Ball, .a = c, .b = a, .anchor = Vec3(1.5, 0, 0)});
  CHECK(three.index == two.index);
  CHECK_FALSE(world.contains(two));
  world.step(1e-3);
  std::vector<JointRecord> records;
  world.joint_records(records);
  CHECK(records.size() == 2);
}

TEST_CASE("joints that make no sense are refused with their name") {
  World world = world_of_joints();
  const BodyId a = add_mass(world, {}), b = add_mass(world, {.position = Vec3(1, 0, 0)});
  const BodyId floor = world.add_half_space(Vec3::UnitZ(), Vec3(0, 0, -1), {});
  const auto complaint = [&](JointSpec spec) -> std::string {
    spec.name = "the joint";
    try {
      world.add_joint(spec);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  const auto says = [](const std::string& text, const char* part) {
    INFO(text);
    CHECK(text.find("the joint") != std::string::npos);
    CHECK(text.find(part) != std::string::npos);
  };
  says(complaint({.a = a, .b = a}), "to itself");
  says(complaint({}), "both its ends are the world");
  says(complaint({.a = floor}), "neither of its two is dynamic");
  says(complaint({.a = a, .b = b, .anchor_a = Vec3(0.5, 0, 0), .anchor_b = Vec3(-0.4, 0, 0)}), "anchors are apart");
  says(complaint({.type = JointType::Distance,
                  .a = a,
                  .b = b,
                  .anchor_a = Vec3::Zero(),
                  .anchor_b = Vec3::Zero(),
                  .length = 2.0}),
       "1 m apart, but its length is 2 m");
  says(complaint({.type = JointType::Distance, .a = a}), "want a ball joint");
  says(complaint({.type = JointType::Revolute, .a = a, .axis = Vec3::Zero()}), "axis");
  says(complaint({.type = JointType::Spring, .a = a}), "stiffness");
  JointSpec spec = {.type = JointType::Ball, .a = a};
  spec.turn.motor_speed = 1;
  says(complaint(spec), "leaves no turn free");
  spec.type = JointType::Revolute;
  spec.turn = {.lower = 1, .upper = -1};
  says(complaint(spec), "lower limit");
  spec.turn = {.lower = 0.5};
  says(complaint(spec), "beyond its limits");
  spec.turn = {.lower = -1, .motor_speed = 1};
  says(complaint(spec), "unlimited strength");
  spec.turn = {.friction_coefficient = 0.1};
  says(complaint(spec), "friction_radius");
  spec.turn = {.stiffness = -1};
  says(complaint(spec), "stiffness");
  CHECK(world.joint_count() == 0);
}

TEST_CASE("condensing joints out of an impact is the Schur complement, redundant joints included") {
  World world = world_of_joints();
  const MaterialId m = world.add_material({.name = "m", .friction = 0.5});
  world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), m);
  std::optional<BodyId> last;
  for (int i = 0; i < 3; ++i) {
    const BodyId ball = world.add_sphere(0.1, m, {.position = Vec3(0.3 * i, 0.05 * i, 0.0999)});
    for (double y : {-0.1, 0.2})  // twice the same hinge
      if (last)
        world.add_joint({.type = JointType::Revolute,
                         .a = ball,
                         .b = last,
                         .anchor = Vec3(0.3 * i - 0.15, y, 0.1),
                         .axis = Vec3::UnitY()});
    last = ball;
  }
  world.step(1e-3);
  const ConeProblem& problem = world.last_problem();
  REQUIRE(problem.cones.count() == 7);
  const std::vector<int> contacts = {0, 1, 2}, joints = {3, 4, 5, 6};
  const JointCondensation condensation(problem, contacts, joints);
  const MatrixXd W = to_dense(problem.W, problem.cones);
  const MatrixXd W_jj = W.bottomRightCorner(20, 20), W_jc = W.bottomLeftCorner(20, 9);
  CHECK(Eigen::FullPivLU<MatrixXd>(W_jj).setThreshold(1e-9).rank() == 10);
  const MatrixXd answer = W_jj.completeOrthogonalDecomposition().solve(W_jc);
  const MatrixXd expected = W.topLeftCorner(9, 9) - W_jc.transpose() * answer;
  Cones cones;
  for (int i : contacts) cones.add(problem.cones[i]);
  CHECK((to_dense({{}, condensation.condensed()}, cones) - expected).norm() < 1e-9 * expected.norm());
  // and joints do not feel the blow
  VectorXd p = VectorXd::Zero(29);
  p.head(9).setLinSpaced(1, 2);
  p.tail(20) = condensation.joint_impulses(p.head(9));
  CHECK((W * p).tail(20).norm() < 1e-9 * (W * p).head(9).norm());
}

TEST_CASE("a body struck through a hinge answers as the centre of percussion tells, by every impact law") {
  // A ball hits a rod that hangs from a hinge at distance s from it: m v = m v' + p, p s = I w, v' - w s = -e v
  const double e = 0.6, mass = 0.5, s = 0.7, speed = 2;
  for (const std::string law : {"newton", "poisson", "lzb"}) {
    World world = world_of_joints();
    world.set_gravity({.acceleration = Vec3::Zero()});
    const MaterialId steel = world.add_material({.name = "steel", .friction = 0, .restitution = e});
    BodySpec spec;
    spec.mass = 1.2;
    spec.inertia = Mat3(Vec3(0.05, 0.05, 0.01).asDiagonal());
    spec.pose.position = Vec3(0, 0, -0.5);
    spec.colliders = {{Shape::sphere(0.1), steel, {Vec3(0, 0, 0.5 - s), Quat::Identity()}}};
    const BodyId rod = world.add_body(spec);
    const JointId joint = world.add_joint(hinge(rod, {}, Vec3::Zero()));
    const BodyId ball = world.add_sphere(0.1, steel,
                                         {.position = Vec3(-0.2001, 0, -s),
                                          .velocity = Vec3(speed, 0, 0),
                                          .density = mass / (4.0 / 3 * 3.14159265358979 * 1e-3)});
    if (law == "poisson") world.set_impact_law(std::make_unique<PoissonLaw>());
    if (law == "lzb") world.set_impact_law(std::make_unique<Lzb>());
    Vec3 reaction = Vec3::Zero();
    int struck = 0;
    for (int i = 0; i < 5; ++i) {
      const StepReport& report = world.step(1e-4);
      reaction += 1e-4 * world.joint_record(joint).force;
      struck += report.impacts;
      CHECK(std::abs(report.energy.balance_error) < 1e-12);
      CHECK(report.status == SolveStatus::Solved);
    }
    const double I = 0.05 + 1.2 * 0.25, p = (1 + e) * speed / (1 / mass + s * s / I);
    INFO(law);
    CHECK(struck == (law == "newton" ? 0 : 1));
    CHECK(world.velocity(ball).x() == doctest::Approx(speed - p / mass).epsilon(1e-4));
    CHECK(world.angular_velocity(rod).y() == doctest::Approx(-p * s / I).epsilon(1e-4));
    // the hinge takes what the centre of percussion leaves: M w d - p
    CHECK(reaction.x() == doctest::Approx(1.2 * 0.5 * p * s / I - p).epsilon(1e-3));
  }
}

TEST_CASE("a limit struck in an impact law's island bounces by that law; a fixed body is no part of it") {
  World world = world_of_joints();
  world.set_gravity({.acceleration = Vec3::Zero()});
  const BodyId arm = add_mass(world, {.mass = 1, .moments = Vec3(0.1, 0.2, 0.1), .angular_velocity = Vec3(0, 1, 0)});
  JointSpec spec = hinge(arm, {}, Vec3::Zero());
  spec.turn = {.upper = 0.05, .restitution = 0.5};
  const JointId joint = world.add_joint(spec);
  world.set_impact_law(std::make_unique<PoissonLaw>());
  int impacts = 0;
  for (int i = 0; i < 100; ++i) impacts += world.step(1e-3).impacts;
  CHECK(impacts == 1);
  CHECK(world.joint_record(joint).turn.velocity == doctest::Approx(-0.5).epsilon(1e-9));

  // a ball falls on a plate that is fixed to the world by a joint: as on a floor
  const MaterialId m = world.add_material({.name = "m", .friction = 0.3, .restitution = 0.5});
  BodySpec plate;
  plate.mass = 1;
  plate.inertia = Mat3(Mat3::Identity());
  plate.pose.position = Vec3(5, 0, 0);
  plate.colliders = {{Shape::sphere(0.5), m, {}}};
  const BodyId held = world.add_body(plate);
  world.add_joint({.type = JointType::Fixed, .a = held, .anchor = Vec3(5, 0, 0)});
  const BodyId ball = world.add_sphere(0.1, m, {.position = Vec3(5, 0, 0.6001), .velocity = Vec3(0, 0, -1)});
  for (int i = 0; i < 10; ++i) CHECK(world.step(1e-3).status == SolveStatus::Solved);
  CHECK(world.velocity(ball).z() == doctest::Approx(0.5).epsilon(1e-6));
  CHECK(world.velocity(held).norm() < 1e-9);
}
