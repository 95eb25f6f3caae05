// Sections 5, 6 and 12: Bernoulli's problem, two balls on a wall.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "base/check.h"
#include "engine/systems/bernoulli_balls.h"
#include "io/reproduction/cases.h"

namespace carom {

namespace {

// ---- 5. Bernoulli's problem ----

SystemImpact bernoulli(double angle, std::vector<double> restitution) {
  BernoulliBallsParameters p;
  p.angle = angle;
  p.restitution = std::move(restitution);
  return touching(std::make_shared<BernoulliBalls>(p));
}

// Coordinates x, y, phi of balls 1, 2, 3.
enum Coordinate { kX1 = 0, kY1 = 1, kX2 = 3, kY2 = 4, kY3 = 7 };

struct BernoulliRow {
  const char* angle;
  double share;  // of pi
  double x1, y1, x2;
};

void bernoulli_section(ReproducedSection& s) {
  for (const BernoulliRow& row :
       {BernoulliRow{"pi/8", 8, 0.63, 0.26, -0.26}, BernoulliRow{"pi/6", 6, 0.60, 0.35, -0.20},
        BernoulliRow{"pi/4", 4, 0.50, 0.50, 0.0}, BernoulliRow{"pi/3", 3, 0.33, 0.58, 0.33}}) {
    const double angle = std::numbers::pi / row.share;
    const VectorXd v = strike_with(bernoulli(angle, {1}), "lzb").v;
    const std::string name = fmt::format("alpha {}, ", row.angle);
    s.add(name + "x1", row.x1, v[kX1], 5e-3);
    s.add(name + "y1", row.y1, v[kY1], 5e-3);
    s.add(name + "x2", row.x2, v[kX2], 5e-3);
    // x1 = x3 = 2/(3 + tan^2 a), y1 = -y3 = x1 tan a, x2 = 1 - 2 x1
    const double tangent = std::tan(angle), x1 = 2 / (3 + tangent * tangent);
    s.add(name + "x1, closed form", x1, v[kX1], 1e-7);
    s.add(name + "y1, closed form", x1 * tangent, v[kY1], 1e-7);
    s.add(name + "y3, closed form", -x1 * tangent, v[kY3], 1e-7);
    s.add(name + "x2, closed form", 1 - 2 * x1, v[kX2], 1e-7);
  }

  const double sixth = std::numbers::pi / 6, third = std::numbers::pi / 3;
  s.add("alpha pi/6, plastic: energy after, J", 0.185, strike_with(bernoulli(sixth, {0}), "lzb").kinetic_after, 1e-6,
        'a', 0.2);
  s.explain('a',
            "by hand: 1 = w + 2 s cos a (momentum) and s = w cos a (plastic) give w = 0.4, s = 0.2 sqrt(3) and "
            "T = 0.2 J; the printed 0.185 J loses more than a plastic impact can");

  const SystemImpact uneven = bernoulli(third, {1, 0, 1});
  const LzbOutcome struck = strike_with_lzb(uneven);
  s.add_finding("alpha pi/3, e 1 and 0: ball 3 is hit twice", struck.records[1].compressions >= 2);
  s.add_finding("alpha pi/3, e 1 and 0: ball 2 leaves the line of symmetry", std::abs(struck.outcome.v[kY2]) > 1e-3);
}

// ---- 6. Tennis ball and basketball ----

constexpr double kTennis = 0.058, kBasket = 0.580;  // kg

// Both fall at 1 m/s on the wall on their right; the ball on top is the first.
SystemImpact stack(bool tennis_on_top, double e_between) {
  BallChainParameters p;
  p.balls = 2;
  p.exponent = {1};
  p.velocity = {1, 1};
  p.restitution = {e_between};
  p.right_wall = true;
  p.mass = tennis_on_top ? std::vector<double>{kTennis, kBasket} : std::vector<double>{kBasket, kTennis};
  p.wall_restitution = {tennis_on_top ? 0.8 : 0.55};
  p.wall_stiffness = {tennis_on_top ? 12.875 : 1.084};
  return struck_chain(p);
}

struct StackRow {
  double e;
  double tennis_top[2], basket_top[2];  // as printed: v_t, v_b
};

void stack_section(ReproducedSection& s) {
  const StackRow table[] = {
      {0.326, {-1.1460, -0.6394}, {-0.1034, -0.1178}}, {0.3, {-1.1111, -0.6394}, {-0.0934, -0.0723}},
      {0.4, {-1.2536, -0.6252}, {-0.1822, -0.1693}},   {0.5, {-1.3966, -0.6109}, {-0.2729, -0.1917}},
      {0.6, {-1.5396, -0.5966}, {-0.3580, -0.2207}},
  };
  for (const StackRow& row : table) {
    const VectorXd t = strike_with(stack(true, row.e), "lzb").v, b = strike_with(stack(false, row.e), "lzb").v;
    const std::string name = fmt::format("e {}, ", row.e);
    const bool coarse = row.e == 0.6;
    s.add(name + "tennis on top: v_t", row.tennis_top[0], t[0], 5e-3, coarse ? 'c' : char{0}, coarse ? -1.5338 : kNone);
    s.add(name + "tennis on top: v_b", row.tennis_top[1], t[1], 5e-3);
    const bool swapped = row.e != 0.326;
    s.add(name + "basket on top: v_t", row.basket_top[0], b[1], 5e-3, swapped ? 'a' : char{0},
          swapped ? row.basket_top[1] : kNone);
    s.add(name + "basket on top: v_b", row.basket_top[1], b[0], 5e-3, swapped ? 'a' : char{0},
          swapped ? row.basket_top[0] : kNone);
  }
  s.explain('a', "these rows print v_b before v_t: swapped, they agree; the first row is in the order of its heading");

  const auto converged = [&](const char* name, bool tennis_on_top, double e, double v_t, double v_b) {
    const VectorXd v = strike_with(stack(tennis_on_top, e), "lzb").v;
    s.add(fmt::format("{}, converged v_t", name), v_t, v[tennis_on_top ? 0 : 1], 1e-4);
    s.add(fmt::format("{}, converged v_b", name), v_b, v[tennis_on_top ? 1 : 0], 1e-4);
  };
  converged("e 0.326, tennis on top", true, 0.326, -1.1461, -0.6387);
  converged("e 0.4, tennis on top", true, 0.4, -1.2508, -0.6282);
  converged("e 0.6, tennis on top", true, 0.6, -1.5338, -0.5999);
  converged("e 0.326, basket on top", false, 0.326, -0.1052, -0.1190);
  converged("e 0.4, basket on top", false, 0.4, -0.1690, -0.1846);

  const LzbOutcome basket_top = strike_with_lzb(stack(false, 0.326));
  s.add("basket on top, e 0.326: compressions after the first of each contact", 6,
        basket_top.records[0].compressions + basket_top.records[1].compressions - 2, 0, 'b');
  s.explain('c', "the print is 5.8e-3 off what these equations converge to, more than the other rows");
  s.explain('b', "four phases at each of the two contacts, of which two begin the impact and six follow");

  const double g = 9.81, fall = std::sqrt(2 * g * 1.5);
  const double leaves = -fall * strike_with(stack(true, 0.55), "lzb").v[0];
  s.add("dropped from 1.5 m, e 0.55: tennis ball leaves at, m/s", 7.93, leaves, 1e-2);
  s.add("dropped from 1.5 m, e 0.55: tennis ball rises, m", 3.21, leaves * leaves / (2 * g), 1e-2);
}

// ---- 12. Sequences of collisions ----

// Ball 1 behind ball 2, the wall before ball 2; speeds towards the wall are positive, m = m1/m2.
struct TwoBalls {
  double v1, v2;

  // v1+ = v1 - (1 + e)(v1 - v2)/(1 + m),  v2+ = v2 + m (1 + e)(v1 - v2)/(1 + m)
  TwoBalls pair(double m, double e) const {
    const double change = (1 + e) * (v1 - v2) / (1 + m);
    return {v1 - change, v2 + m * change};
  }
  TwoBalls wall(double e) const { return {v1, -e * v2}; }
};

void sequence_section(ReproducedSection& s) {
  constexpr double m = 0.1, e_pair = 0.7, e_wall = 0.8;
  BallChainParameters p;
  p.balls = 2;
  p.mass = {m, 1};
  p.velocity = {1, 0.4};
  p.restitution = {e_pair};
  p.right_wall = true;
  p.wall_restitution = {e_wall};
  const SystemImpact impact = struck_chain(p);
  const TwoBalls start{1, 0.4};
  const TwoBalls wall_first = start.wall(e_wall).pair(m, e_pair);
  const TwoBalls pair_first = start.pair(m, e_pair).wall(e_wall).pair(m, e_pair);

  const std::vector<double> by_wall = to_list(strike_with(impact, "binary", {{"order", std::string("wall_first")}}).v);
  const std::vector<double> by_pair = to_list(strike_with(impact, "binary", {{"order", std::string("wall_last")}}).v);
  s.add_row("wall, pair: v", {wall_first.v1, wall_first.v2}, by_wall, 1e-12, 'a');
  s.add_row("pair, wall, pair: v", {pair_first.v1, pair_first.v2}, by_pair, 1e-12, 'a');
  s.add_finding("the two orders end differently", std::abs(by_wall[0] - by_pair[0]) > 1e-2);
  s.explain('a', fmt::format("closed forms with m1/m2 = {}, e = {} (pair) and {} (wall), from speeds 1 and 0.4", m,
                             e_pair, e_wall));
}

}  // namespace

void reproduce_balls(ReproducedSection& section) {
  switch (section.number) {
    case 5:
      return bernoulli_section(section);
    case 6:
      return stack_section(section);
    case 12:
      return sequence_section(section);
    default:
      CAROM_CHECK(false, "one of the sections of this file");
  }
}

}  // namespace carom
