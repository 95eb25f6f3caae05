// Friction at every instant of an impact: Routh's and Stronge's closed forms of one contact, redundant contacts, slow
// sliding in space, and energy over random systems.
#include <doctest/doctest.h>

#include "engine/impact/lzb.h"
#include "impact_energy.h"

using namespace carom;

namespace {

// One contact between two bodies, W = [n c; c t].
struct Contact2D {
  double n = 1, c = 0, t = 1;
  double mu = 0, e = 1;
  double u_n = -1, u_t = 0;
};

ImpactProblem problem_of(const MatrixXd& W, const VectorXd& u, double mu, const ImpactContact& contact, int dim) {
  ImpactProblem problem;
  for (Eigen::Index i = 0; i < u.size() / dim; ++i) {
    problem.cones.add({.kind = ConeKind::Coulomb, .dim = dim, .mu = mu});
    problem.contacts.push_back(contact);
  }
  problem.W = to_block_sparse(W.sparseView(), problem.cones);
  problem.u_minus = u;
  return problem;
}

// Routh's diagram with energetic restitution: velocities are linear in the normal impulse P while the contact slides
// one way or sticks, and the impact ends where the work of expansion, the integral of u_n dP, is -e^2 times that of
// compression.
struct Routh {
  double u_n = 0, u_t = 0, P = 0;
  int stops = 0;
  bool stuck = false;

  explicit Routh(const Contact2D& contact) : u_n(contact.u_n), u_t(contact.u_t) {
    double slide = u_t > 0 ? 1 : u_t < 0 ? -1 : 0;
    if (slide == 0) slide = slide_from_rest(contact);
    double work = 0;  // absorbed, then what is left to give back
    bool compression = true;
    for (int piece = 0; piece < 10; ++piece) {
      // per unit of P
      const double T = stuck ? -contact.c / contact.t : -contact.mu * slide;
      const double a = contact.n + contact.c * T, b = contact.c + contact.t * T;
      const double infinite = std::numeric_limits<double>::infinity();
      const double to_stop = !stuck && u_t * b < 0 ? -u_t / b : infinite;
      double to_turn = infinite;
      if (compression) {
        if (a > 0) to_turn = -u_n / a;
      } else {
        // u_n dP + a dP^2/2 = work
        to_turn = (-u_n + std::sqrt(u_n * u_n + 2 * a * work)) / a;
      }
      const double step = std::min(to_stop, to_turn);
      work -= (u_n * step + 0.5 * a * step * step);
      P += step;
      u_n += a * step;
      u_t += b * step;
      if (to_turn <= to_stop) {
        if (!compression) return;
        compression = false;
        u_n = 0;
        work *= contact.e * contact.e;
      } else {
        u_t = 0;
        ++stops;
        slide = slide_from_rest(contact);
      }
    }
  }

  // Sticks when friction can hold: |c| <= mu t; else slides to where c drives it.
  double slide_from_rest(const Contact2D& contact) {
    stuck = std::abs(contact.c) <= contact.mu * contact.t;
    return stuck ? 0 : contact.c > 0 ? 1 : -1;
  }
};

VectorXd after(const ImpactProblem& problem, const LzbOptions& options = {}, VectorXd* impulses = nullptr) {
  Lzb law(options);
  VectorXd p;
  const ImpactReport report = law.apply(problem, p);
  REQUIRE(report.status == ImpactStatus::Done);
  CHECK(report.energy_growth < 1e-10);
  CHECK(report.kinetic_violation < 1e-9);
  if (impulses) *impulses = p;
  return velocity_after(problem, p);
}

void check_against_routh(const Contact2D& contact, double exponent) {
  MatrixXd W(2, 2);
  W << contact.n, contact.c, contact.c, contact.t;
  const ImpactProblem problem = problem_of(W, Vec2(contact.u_n, contact.u_t), contact.mu,
                                           {.restitution = contact.e, .stiffness = 3, .exponent = exponent}, 2);
  const Routh routh(contact);
  VectorXd p;
  const VectorXd u = after(problem, {}, &p);
  CAPTURE(contact.c);
  CAPTURE(contact.mu);
  CAPTURE(contact.u_t);
  CHECK(std::abs(u[0] - routh.u_n) < 2e-8);
  CHECK(std::abs(u[1] - routh.u_t) < 2e-8);
  CHECK(std::abs(p[0] - routh.P) < 2e-8);
}

}  // namespace

TEST_CASE("a sphere slides through its impact or stops, and its normal motion does not mind") {
  // W_t = 7/2 of a solid sphere of mass 1: P = (1 + e)|u_n|, slip speed lost 7/2 mu P.
  for (double e : {0.0, 0.5, 1.0})
    for (double slip : {0.3, 3.0}) {
      const double mu = 0.2, lost = 3.5 * mu * (1 + e);
      MatrixXd W(2, 2);
      W << 1, 0, 0, 3.5;
      const VectorXd u = after(problem_of(W, Vec2(-1, slip), mu, {.restitution = e}, 2));
      CHECK(std::abs(u[0] - e) < 1e-8);
      CHECK(std::abs(u[1] - std::max(0.0, slip - lost)) < 1e-8);
    }
}

TEST_CASE("a rod ends where Routh's diagram with energetic restitution ends: slip, stick, reversal") {
  int stuck = 0, reversed = 0, slid = 0;
  for (double exponent : {1.0, 1.5})
    for (double c : {-0.6, 0.0, 0.4, 0.8})
      for (double mu : {0.1, 0.5, 1.2})
        for (double slip : {-1.0, -0.2, 0.0, 0.3})
          for (double e : {0.4, 1.0}) {
            const Contact2D contact{.n = 1, .c = c, .t = 1.3, .mu = mu, .e = e, .u_n = -1, .u_t = slip};
            check_against_routh(contact, exponent);
            const Routh routh(contact);
            ++(routh.stuck ? stuck : routh.stops > 0 ? reversed : slid);
          }
  // All three occur.
  CHECK(stuck > 10);
  CHECK(reversed > 10);
  CHECK(slid > 10);
}

TEST_CASE("Painleve's rod: sliding that presses the contact together stops before the contact lets go") {
  // n - mu c < 0: while it slides, the normal impulse makes the approach faster.
  check_against_routh({.n = 1, .c = 1.2, .t = 2, .mu = 1.1, .e = 0.7, .u_n = -0.1, .u_t = 0.8}, 1.5);
}

TEST_CASE("in space directions of the tangents do not matter, and planar motion stays planar") {
  RandomStream random(5, 0);
  for (int k = 0; k < 20; ++k) {
    MatrixXd H(3, 6);
    for (double& value : H.reshaped()) value = random.normal();
    const MatrixXd W = H * H.transpose() / 6;
    const Vec3 u(-1, 0.3 * random.normal(), 0.3 * random.normal());
    const ImpactContact contact{.restitution = random.uniform(0.2, 1)};
    const double mu = random.uniform(0.1, 1), angle = random.uniform(0, 6);
    Mat3 turn = Mat3::Identity();
    turn.bottomRightCorner<2, 2>() = Eigen::Rotation2Dd(angle).toRotationMatrix();
    const VectorXd straight = after(problem_of(W, u, mu, contact, 3));
    const VectorXd turned = after(problem_of(turn * W * turn.transpose(), turn * u, mu, contact, 3));
    CAPTURE(k);
    CHECK((turned - turn * straight).norm() < 3e-8);
  }
  const Contact2D planar{.n = 1, .c = 0.5, .t = 1.3, .mu = 0.3, .e = 0.8, .u_n = -1, .u_t = 0.2};
  MatrixXd W(3, 3);
  W << planar.n, 0, planar.c, 0, 2, 0, planar.c, 0, planar.t;
  const VectorXd u = after(problem_of(W, Vec3(-1, 0, 0.2), planar.mu, {.restitution = planar.e}, 3));
  const Routh routh(planar);
  CHECK((u - Vec3(routh.u_n, 0, routh.u_t)).norm() < 3e-8);
}

TEST_CASE("in space sliding follows Keller's equations in the normal impulse") {
  // e = 1 and one contact: u = u_minus + W (1, -mu d) dP with d along u_t, in small steps of P; the work that
  // compression took is given back.
  RandomStream random(6, 0);
  for (int k = 0; k < 6; ++k) {
    MatrixXd H(3, 6);
    for (double& value : H.reshaped()) value = random.normal();
    const Mat3 W = H * H.transpose() / 6;
    const Vec3 start(-1, 1 + random.uniform(0, 1), random.normal());
    const double mu = 0.15, step = 2e-4;
    const auto rate = [&](const Vec3& u) -> Vec3 {
      const Vec2 d = u.tail<2>().normalized();
      return W * Vec3(1, -mu * d[0], -mu * d[1]);
    };
    Vec3 u = start;
    double work = 0;
    for (bool over = false; !over;) {
      const Vec3 k1 = rate(u), k2 = rate(u + 0.5 * step * k1), k3 = rate(u + 0.5 * step * k2), k4 = rate(u + step * k3);
      const Vec3 next = u + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
      const double done = 0.5 * step * (u[0] + next[0]);  // u_n is nearly linear in P
      over = next[0] > 0 && work + done >= 0;
      const double share = over ? -work / done : 1.0;
      u += share * (next - u);
      work += done;
    }
    REQUIRE(u.tail<2>().norm() > 0.1);
    const VectorXd found = after(problem_of(W, start, mu, {.restitution = 1}, 3));
    CHECK((found - u).norm() < 1e-6);
  }
}

TEST_CASE("redundant contacts that stick share their load somehow, and end") {
  // Two corners of a block: their tangents are one motion.
  MatrixXd W(4, 4);
  W << 4, 0, -2, 0, 0, 1, 0, 1, -2, 0, 4, 0, 0, 1, 0, 1;
  Eigen::Vector4d u(0, 0, -0.0806, 0);
  const ImpactContact contact{.restitution = 0.28, .stiffness = 1, .exponent = 1};
  MatrixXd W_n(2, 2);
  W_n << 4, -2, -2, 4;
  ImpactProblem smooth;
  for (int i = 0; i < 2; ++i) smooth.cones.add({.kind = ConeKind::Orthant, .dim = 1});
  smooth.W = to_block_sparse(W_n.sparseView(), smooth.cones);
  smooth.u_minus = Vec2(0, -0.0806);
  smooth.contacts.assign(2, contact);
  const VectorXd normal = after(smooth), rough = after(problem_of(W, u, 0.66, contact, 2));
  CHECK(std::abs(rough[0] - normal[0]) < 1e-9);
  CHECK(std::abs(rough[2] - normal[1]) < 1e-9);
  // Sliding slowly, it stops and stays.
  u[1] = u[3] = 1e-3;
  CHECK(std::abs(after(problem_of(W, u, 0.66, contact, 2))[1]) < 1e-9);
}

TEST_CASE("blocks end their impacts on redundant corners, whatever friction and motion") {
  RandomStream random(8, 0);
  for (int k = 0; k < 120; ++k) {
    const BlockSize size{.l = random.uniform(0.3, 3), .L = 1, .m = 1};
    const Vec3 v(random.below(2) == 0 ? 0.0 : random.normal(), -random.uniform(0, 1), random.normal());
    const ImpactContact contact{
        .restitution = random.uniform(0, 1), .stiffness = 1, .exponent = random.below(2) == 0 ? 1.0 : 1.5};
    const ImpactSystem block = planar_block(size, v, random.uniform(0.05, 1.5), contact);
    if (approach_speed(block.problem) == 0) continue;
    CAPTURE(k);
    Lzb law({.model = k % 2 == 0 ? LzbModel::BiStiffness : LzbModel::MonoStiffness});
    VectorXd p;
    const ImpactReport report = law.apply(block.problem, p);
    CHECK(report.status == ImpactStatus::Done);
    CHECK(report.substeps < 5000);
    CHECK(report.energy_growth < 1e-10);
    CHECK(report.kinetic_violation < 1e-9);
  }
}

TEST_CASE("energy does not grow in random impacts, with friction or without") {
  for (const EnergyFamily& family : lzb_energy_families()) {
    const std::string what = family.what;
    CAPTURE(what);
    const EnergyTally tally = tally_energy(family, 25);
    CHECK(tally.worst <= 1e-10);
    CHECK(tally.grown == 0);
    CHECK(tally.failed == 0);
    CHECK(tally.event_limit <= tally.systems / 10);
    CHECK(tally.approach <= 1e-7);
    CHECK(tally.outside <= 1e-7);
  }
}
