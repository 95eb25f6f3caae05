// A pile of spheres in a pit, the same for every engine, and what is measured of each.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/types.h"

namespace carom {

struct PeerPile {
  std::vector<double> radii;
  std::vector<Vec3> positions;
  double half = 0;  // the pit: |x|, |y| <= half, z >= 0
  double friction = 0.4;
  double density = 1000;  // kg/m^3
  double gravity = 9.81;  // m/s^2
  double h = 5e-3;        // s
};

// One engine in the act: steps, and shows where the spheres are.
class PileEngine {
 public:
  virtual ~PileEngine() = default;
  virtual void step() = 0;
  virtual void set_sweeps(int sweeps) = 0;
  virtual double contacts() const = 0;  // of the last step
  virtual double sweeps() const = 0;    // of the last step
  virtual void read(std::vector<Vec3>& positions, std::vector<Vec3>& velocities) const = 0;
  virtual std::string residual() const { return "-"; }  // of the last step, where the engine tells
};

// Each is empty where the program was built without the peer.
std::unique_ptr<PileEngine> bullet_pile(const PeerPile& pile);
std::unique_ptr<PileEngine> ode_pile(const PeerPile& pile);

}  // namespace carom
