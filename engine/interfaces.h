// Interfaces of a structure of blocks: the faces at which two bodies touch when watching begins. For each of them,
// where the thrust passes, how far it has opened and slid, and whether it became a hinge; for all of them, whether the
// structure collapsed and by which mechanism.
//
// Opening and sliding are those of the points that touched at first, followed in both bodies' frames:
//
//     d_k = x_k(a) - x_k(b),    opening_k = n . d_k,    sliding = |mean of the rest of d_k|,    n: b's normal now
#pragma once

#include <optional>

#include "engine/world.h"

namespace carom {

enum class InterfaceStatus : std::uint8_t {
  Closed,
  Hinge,    // open at one edge, closed at another
  Sliding,  // closed, and displaced along itself
  Open,     // apart everywhere
};
std::string_view name_of(InterfaceStatus status);

struct InterfaceOptions {
  double margin = 1e-6;              // m: points closer than this touch when watching begins
  double opening_tolerance = 1e-4;   // m: less is closed
  double sliding_tolerance = 1e-4;   // m: less is no sliding
  double collapse_displacement = 0;  // m: a block that moved further has fallen; 0: half of the smallest block's radius
  double onset_share = 0.02;         // in (0, 1]: of that displacement; what exceeds it for good has begun to fall
};

struct Interface {
  // ---- Fixed when watching begins. ----
  int body_a = 0, body_b = 0;
  std::vector<Vec3> points_a, points_b;  // where they touched, in each body's frame, m
  Vec3 normal_b;                         // from b to a, in b's frame
  double area = 0;                       // m^2 of the touching points' hull; 0 for an edge or a point
  int bond = -1;                         // of the world's, where the interface was bonded

  // ---- Now. ----
  double normal_force = 0;  // N, pressure positive: the last step's impulse over its length
  double shear_force = 0;   // N
  Vec3 thrust_point;        // world: where the resultant passes the interface; its centre when there is no force
  double eccentricity = 0;  // of the thrust point: 0 at the centre of the interface, 1 at its edge
  double opening = 0;       // m, the widest
  double closest = 0;       // m, the narrowest
  double sliding = 0;       // m
  Vec3 hinge;               // world: where it is narrowest
  bool bonded = false;      // held by cohesion
  InterfaceStatus status = InterfaceStatus::Closed;
};

// The first block that fell, and what had opened or slid by then.
struct Collapse {
  double time = 0;   // s
  double onset = 0;  // s: since when no block came back
  int body = 0;
  double displacement = 0;     // m
  std::vector<int> mechanism;  // interfaces that are not closed
};

class InterfaceMonitor {
 public:
  // Takes the faces at which bodies touch now. Throws InputError on options out of range.
  void begin(const World& world, const InterfaceOptions& options = {});
  // After each step: whether something fell. Cheap.
  void watch(const World& world, double h);
  // All that `interfaces` tells, after a step of length h; with the contacts of that step where the world was restored
  // and knows them no longer.
  void update(const World& world, double h);
  void update(const World& world, double h, const std::vector<ContactRecord>& contacts);

  const std::vector<Interface>& interfaces() const { return interfaces_; }
  const std::optional<Collapse>& collapse() const { return collapse_; }
  Vec3 base_reaction() const { return base_reaction_; }  // N: of all that is fixed or driven, on the blocks
  // The largest reaction across the direction of gravity so far, N, and when it was, s.
  double peak_base_shear() const { return peak_shear_; }
  double peak_time() const { return peak_time_; }
  const InterfaceOptions& options() const { return options_; }

  // What watching found so far, for restarts; begin() comes before restore().
  std::vector<double> memory() const;
  void restore(const std::vector<double>& memory);  // throws InputError when it makes no sense

 private:
  void follow(const World& world, Interface& face) const;
  Interface* find(int body_a, int body_b);

  InterfaceOptions options_;
  std::vector<Interface> interfaces_;  // by (body_a, body_b)
  std::vector<Vec3> start_;            // per body: position when watching began
  double calm_ = 0;                    // s: when last nothing had begun to fall
  double peak_shear_ = 0, peak_time_ = 0;
  std::vector<ContactRecord> records_;
  std::optional<Collapse> collapse_;
  Vec3 base_reaction_ = Vec3::Zero();
};

}  // namespace carom
