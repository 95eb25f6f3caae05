// The ground of a rockfall study: one terrain that all trajectories share, a class of ground per raster cell, and
// what the ground does to a block that touches it.
//
// The raster's cells are centred on the samples of the height field: cell (i, j) is |x - i dx| <= dx/2,
// |y - j dy| <= dy/2, as in the grids of maps.
#pragma once

#include <limits>
#include <string>

#include "contact/height_field.h"
#include "engine/material.h"
#include "engine/rockfall/forest.h"

namespace carom::rockfall {

// Laws of one kind of ground for blocks of the study. Angles in rad.
struct GroundClass {
  std::string name;
  double friction = 0.6;              // mu, >= 0
  double restitution = 0.4;           // e_n of a slow block, in [0, 1]
  double tangential_restitution = 0;  // e_t, in [-1, 1]
  double rolling_friction = 0;        // mu_r >= 0, as in PairLaw: a ball stays on slopes up to atan of it
  // e_n falls with speed and energy of the impact along the normal:
  //     e_n / (1 + (v / restitution_speed)^2)        Pfeiffer & Bowen (1989), 9.144 m/s there
  //     e_n E / (E + m v^2/2)                        hyperbola of Bourrier & Hungr (2011), E = restitution_energy
  double restitution_speed = std::numeric_limits<double>::infinity();   // m/s, > 0
  double restitution_energy = std::numeric_limits<double>::infinity();  // J, > 0
  // Scarring: while it touches, a block is held back by a force m (drag_linear v + drag_quadratic v |v|) along its way;
  // an impact ploughs for scar_time at once.
  double drag_linear = 0;     // 1/s, >= 0
  double drag_quadratic = 0;  // 1/m, >= 0
  double scar_time = 0;       // s, >= 0
  double roughness = 0;       // rad, >= 0: standard deviation of the slope that an impact meets, about the terrain's
  double stiffness = 1;       // for impact law lzb, as in Material
  double exponent = 1.5;

  // Restitution of an impact at normal speed v (m/s) of a block of mass m (kg).
  double restitution_at(double v, double m) const {
    const double s = v / restitution_speed, energy = 0.5 * m * v * v / restitution_energy;
    return restitution / ((1 + s * s) * (1 + energy));
  }
};

struct Ground {
  std::shared_ptr<const HeightField> field;
  std::vector<GroundClass> classes;    // at least one
  std::vector<std::uint8_t> class_of;  // per raster cell, j columns + i; empty: all of class 0
  Forest forest;

  int columns() const { return static_cast<int>(field->columns); }
  int rows() const { return static_cast<int>(field->rows); }
  std::size_t cells() const { return field->heights.size(); }
  double smallest_cell() const { return std::min(field->spacing_x, field->spacing_y); }
  // The raster cell of a point; points beyond the grid belong to the cell at its rim.
  std::uint32_t cell_at(double x, double y) const;
  const GroundClass& class_at(double x, double y) const {
    return class_of.empty() ? classes[0] : classes[class_of[cell_at(x, y)]];
  }
};

// How far the ground is from a point at least: with c the height over the ground straight below and L the steepest
// slope within a horizontal distance r, no ground is nearer than
//     min(r, c / sqrt(1 + L^2))
// Steepest slopes are kept for ever larger windows, so that a long flight is seen to be clear at a glance.
class GroundDistance {
 public:
  explicit GroundDistance(const HeightField& field);
  // m; 0 under the ground, beside the map, and near cells without data.
  double at_least(const HeightField& field, const Vec3& x) const;

 private:
  struct Level {
    std::uint32_t columns = 0, rows = 0;
    std::vector<float> steepest;  // rise per m, rounded up; infinite where there is no data
  };
  float steepest_near(const HeightField& field, const Vec3& x, double reach) const;

  std::vector<Level> levels_;  // windows of kBlock cells, then each twice as wide
};

}  // namespace carom::rockfall
