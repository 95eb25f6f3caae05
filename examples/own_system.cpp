// A system of one's own in generalized coordinates: a crate with a load on a spring inside, dropped on the floor.
//
//     |   load y   |      contacts: the crate on the floor, the load on the crate's bottom
//     |   spring   |      coordinates: x, height of the crate's bottom; y, height of the load above it
//     +------------+ x
//     ~~~~~~~~~~~~~~ floor
//
// Build it against an installed Carom:  find_package(carom REQUIRED)  target_link_libraries(own_system carom::engine)
#include <engine/event_driven.h>
#include <engine/impact/newton.h>
#include <engine/lagrangian_world.h>

#include <cmath>
#include <cstdio>

using namespace carom;

class Crate : public LagrangianSystem {
 public:
  std::string_view name() const override { return "crate"; }
  int coordinates() const override { return 2; }
  int contacts() const override { return 2; }
  std::string coordinate_name(int i) const override { return i == 0 ? "x" : "y"; }
  std::string contact_name(int i) const override { return i == 0 ? "floor" : "bottom"; }
  PairLaw contact_law(int i) const override { return {.restitution = i == 0 ? 0.3 : 0.6}; }
  int contact_dim(int) const override { return 1; }              // no friction: the normal alone
  bool contact_support(int i) const override { return i == 0; }  // the other is between two moving parts
  LagrangianState initial_state() const override { return {Vec2(0.5, length), Vec2(0, 0)}; }

  // The load moves at x' + y': T = crate x'^2 / 2 + load (x' + y')^2 / 2
  void mass_matrix(VectorIn, SparseMatrix& M) const override {
    Mat2 full;
    full << crate + load, load, load, load;
    set_full(full, M);
  }
  void force(double, VectorIn q, VectorIn, VectorOut F) const override {
    F << -(crate + load) * gravity, -load * gravity - spring * (q[1] - length);
  }
  double potential_energy(double, VectorIn q) const override {
    return crate * gravity * q[0] + load * gravity * (q[0] + q[1]) + 0.5 * spring * std::pow(q[1] - length, 2);
  }
  void gaps(double, VectorIn q, VectorOut g) const override { g << q[0], q[1]; }
  void contact_rows(double, VectorIn, int i, ContactRows& rows) const override {
    rows.coordinate = {i};  // each gap is a coordinate itself
    rows.direction[0] = {1.0};
  }
  std::vector<double> body_energies(VectorIn, VectorIn v) const override {
    return {0.5 * crate * v[0] * v[0], 0.5 * load * std::pow(v[0] + v[1], 2)};
  }

 private:
  double crate = 3, load = 5;  // kg
  double spring = 400;         // N/m
  double length = 0.2;         // m, of the spring at rest
  double gravity = 9.81;       // m/s^2
};

int main() {
  const auto system = std::make_shared<const Crate>();

  // The reference: impacts located, motion in between to twelve digits.
  NewtonLaw law;
  EventDriven reference(*system, law);
  const EventDrivenStatus status = reference.run(1.0);
  std::printf("%zu events, %s; first ones:\n", reference.events().size(), std::string(name_of(status)).c_str());
  for (std::size_t k = 0; k < 5 && k < reference.events().size(); ++k) {
    const Event& event = reference.events()[k];
    std::printf("  t = %.9f s  %s", event.time, std::string(name_of(event.kind)).c_str());
    for (int contact : event.contacts) std::printf(" %s", system->contact_name(contact).c_str());
    std::printf("\n");
  }

  // The time-stepper comes closer as h shrinks.
  double error = 0;
  for (double h : {1e-3, 1e-4, 1e-5}) {
    LagrangianWorld world(system);
    for (int k = 0; k < std::lround(1.0 / h); ++k) world.step(h);
    error = (world.q() - reference.q()).norm();
    std::printf("h = %g s: |q - q_reference| = %.2e m\n", h, error);
  }
  return status == EventDrivenStatus::Done && error < 1e-4 ? 0 : 1;
}
