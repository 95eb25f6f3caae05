// Bonds: interfaces that hold by cohesion until they break. An interface is the face at which two colliders touch when
// they are bonded. With f_t and c its tensile strength and cohesion (Pa), mu its friction, and a the area that a corner
// of the face stands for, the impulse r of a step h at that corner stays within
//
//     r_n >= -f_t a h,     |r_t| <= mu (r_n + f_t a h) + d,     d = max(0, c - mu f_t) a h
//
// which is Coulomb's cone with its apex moved to s = f_t a h in tension, and a disc of radius d added to it: Mohr and
// Coulomb's law with its tension cut off at f_t, and shear strength max(c, mu f_t) at no pressure. Both parts are blocks
// of the closed set of cones:
//
//   cone    the contact's own block in r + s. The apex enters the problem as an impulse p = -s that is transmitted
//           besides r: q += W p, as an impact's does (engine/impact/splitting.h)
//   disc    a Coulomb block with mu = 1 whose normal row acts on no body and has compliance alone, so that its impulse is
//           the bound and nothing else (as of friction in joints, engine/joint.h)
//
// A bond whose widest opening or sliding reached `critical` is broken for good and its interface dry from the next step
// on: brittle, with the fracture energy f_t critical per area, which contact_work accounts for like all dissipation.
#pragma once

#include <array>

#include "contact/colliders.h"
#include "contact/contact_set.h"
#include "engine/body.h"
#include "engine/material.h"

namespace carom {

struct StepContext;
struct Model;

struct BondPoint {
  Vec3 on_a, on_b;  // where the bodies touched, in each one's frame, m
  double area = 0;  // m^2
};

struct Bond {
  std::uint32_t collider_a = 0, collider_b = 0;  // a < b
  std::array<int, 2> bodies = {0, 0};
  Vec3 normal_b = Vec3::Zero();  // from b to a, in b's frame
  std::vector<BondPoint> points;
  double area = 0;            // m^2
  double tensile = 0;         // f_t, Pa
  double cohesion = 0;        // c, Pa
  double critical = 0;        // m
  std::size_t first_point = 0;  // of its points among those of all bonds
};

// What bonds are in the present step and hand to the next.
struct ActiveBonds {
  std::vector<std::uint8_t> broken;  // per bond; report_step
  std::vector<Vec3> disc_impulse;    // per point of all bonds, N s, world: warm start; apply_impulses
  int broken_count = 0;

  // ---- This step, all empty where no bond holds. ----
  std::vector<int> point;            // detect_contacts: per contact, number of its point, or -1
  std::vector<int> bond;             // detect_contacts: per contact, or -1
  std::vector<int> disc;             // match_contacts: per contact, number of its disc, or -1
  std::vector<int> contact_of_disc;  // match_contacts
  std::vector<double> radius;        // match_contacts: d per disc, N s
  ContactSet merged;                 // scratch of detect_contacts
};

// ---- What the phases of engine/phases.h do about bonds. ----

void hold_bonds(const Model& model, StepContext& c);  // their points take the place of contacts found
void match_bonds(const Model& model, bool planar, double h, StepContext& c);  // apexes; cones and laws of discs
void warm_start_bonds(double scale, StepContext& c);                          // r of discs
void assemble_bonds(StepContext& c);                                          // W, q, u_minus of discs
void apply_bonds(StepContext& c);                                             // u of discs; impulses of contacts
void break_bonds(const Model& model, StepContext& c);                         // by positions at the end of the step

}  // namespace carom
