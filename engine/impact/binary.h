// Sequences of two-body collisions: contacts collide one at a time, each by Newton's law as if it were alone, until
// none approaches any more,
//
//     W_ii p_i + (I + E_i) u_i  solves contact i's cone problem,     u <- u + W_(.,i) p_i
//
// without friction p_i = -(1 + e) u_n / W_ii. The outcome depends on the order, which is therefore an option; where
// restitution is small the sequence may be endless (inelastic collapse), which `rest` and the limit on events end.
#pragma once

#include "engine/impact/impact_law.h"
#include "solvers/options.h"

namespace carom {

// Which of the approaching contacts collides next.
enum class CollisionOrder : std::uint8_t {
  FastestApproach,  // the one with the largest -u_n; the first of equals
  FirstIndex,       // the first in the list
  LastIndex,        // the last in the list
  Cyclic,           // the next in the list after the last one that collided
  WallFirst,        // those against a support before the others, the fastest of them
  WallLast,         // those against a support after the others, the fastest of them
};
std::string_view name_of(CollisionOrder order);  // "fastest_approach", ...
inline std::array<CollisionOrder, 6> choices_of(CollisionOrder) {
  return {CollisionOrder::FastestApproach, CollisionOrder::FirstIndex, CollisionOrder::LastIndex,
          CollisionOrder::Cyclic,          CollisionOrder::WallFirst,  CollisionOrder::WallLast};
}

struct BinaryOptions {
  CollisionOrder order = CollisionOrder::FastestApproach;
  int max_events = 1000000;
  double rest = 1e-12;

  template <class Self, class Visitor>
  static void visit(Self& o, Visitor&& visit) {
    visit("order", o.order, OptionRange{}, "", "which of the approaching contacts collides next");
    visit("max_events", o.max_events, OptionRange{1, 1e9}, "collisions", "limit; reaching it is reported");
    visit("rest", o.rest, OptionRange{0, 1}, "of the first approach speed", "a contact slower than this is at rest");
  }
};

// Each collision without friction loses (1 - e^2) u_n^2 / (2 W_ii): energy never grows. With friction it does not where
// e_t is 1 or equal to e_n, or the contact's tangents are not coupled to its normal (as of spheres); `admissible` is
// false otherwise.
class BinaryLaw : public ImpactLaw {
 public:
  using Options = BinaryOptions;
  static constexpr std::string_view kName = "binary";
  static constexpr std::string_view kRestitution = "kinematic: separation speed over approach speed of each collision";
  static constexpr double kMostRestitution = 1;
  static constexpr bool kFriction = true;

  explicit BinaryLaw(const BinaryOptions& options = {}) : options_(options) {}

  std::string_view name() const override { return kName; }
  BinaryOptions& options() { return options_; }
  ImpactReport apply(const ImpactProblem& problem, VectorXd& p) override;

 private:
  int next_contact(const ImpactProblem& problem, double rest, int last) const;
  void collide(const ImpactProblem& problem, int i, VectorXd& p);

  BinaryOptions options_;
  VectorXd u_;
};

}  // namespace carom
