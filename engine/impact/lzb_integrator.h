// The integration of an impact through its own short time: Dormand and Prince's method of order 8 over the active set,
// with steps that end exactly where a contact changes its phase.
//
// A step may run on another clock than time (Henon's trick): with u_n of a contact as independent variable it ends
// where compression ends, with the indentation it ends where contact is lost, without any iteration. For the latter
// x = y^m with m eta whole makes K x^eta a polynomial in the clock y, so that the singular end of Hertz's force costs
// nothing in order.
//
// The kinetic energy gained in a step, dp . (u + u_new)/2, is known exactly, and so are potential energies and what
// expansion dissipates. What the step's balance lacks, an error below the tolerance, is taken from or given to the
// springs, so that energy does not drift over long impacts.
//
// Where friction is not smooth, steps are implicit (lzb_implicit.cpp).
#pragma once

#include <functional>

#include "base/dormand_prince.h"
#include "engine/impact/impact_report.h"
#include "engine/impact/lzb_events.h"
#include "engine/impact/lzb_friction.h"

namespace carom {

struct LzbLimits {
  double local_tolerance = 1e-10;  // error of a step in velocities, relative to the impact's speed
  double rest = 1e-3;              // oscillations about a preload slower than this do not keep the impact going
  double longest_step = 0;         // scaled time, 0: no limit
  long max_substeps = 0;
  int chatter = 0;  // phases of compression after which a contact is softened, 0: never
};

// What a step is measured by.
struct LzbClock {
  enum class Kind : std::uint8_t { Time, Velocity, Indentation };
  Kind kind = Kind::Time;
  int contact = -1;   // local
  int row = 0;        // Velocity: the step ends where u_row is 0
  double target = 0;  // Indentation: the step ends at this x
};

class LzbIntegrator {
 public:
  // Runs the impact to its end. `sampled` is called after every step; empty: nobody.
  ImpactStatus run(LzbState& state, const LzbLimits& limits, const std::function<void()>& sampled);

  // Forces at the end of the last step, scaled: per local row, static part included.
  const LzbActive& active() const { return active_; }
  double force(int local_row) const { return row_force_[local_row]; }

 private:
  struct Attempt {
    bool sound = false;  // finite, and its clock ran forward
    double dt = 0;       // scaled time it took
    double error = 0;    // relative to the local tolerance
  };
  struct Event {
    enum class Kind : std::uint8_t { None, Turn, Release, SlipStop, SlipUnsure };
    Kind kind = Kind::None;
    int contact = -1;      // local; for slip events the place in friction_.contacts()
    double fraction = 1;   // of the step, estimated
    bool at_once = false;  // the contact was on the wrong side from the start
  };

  // ---- lzb_stages.cpp ----
  void size_arrays();
  void begin_step();
  void set_rate(int a);
  void evaluate(const double* y, double* k);
  void find_normal_forces(const double* x);
  void accelerations(const double* k, double* acceleration) const;
  double clock_factor(const LzbClock& clock, double node, double* y, double* k);
  Attempt attempt(const LzbClock& clock, double h);
  double estimate_error(double h) const;

  // ---- lzb_implicit.cpp ----
  bool friction_is_smooth() const;
  void pause_smooth_steps();
  double least_step() const;
  bool advance_implicitly();
  Attempt attempt_implicitly(double h);
  void first_stage(double h);
  void implicit_stage(int s, double h);

  // ---- lzb_events.cpp ----
  double grace(const Event& event, double h) const;
  LzbClock predict(double& h) const;
  Event first_event(const LzbClock& clock, double dt);  // of normal motion
  Event slip_event();
  LzbCubic velocity_curve(int a, double dt) const;
  bool harmless(const Event& event, double dt);
  Event contact_event(int a, double dt) const;
  LzbClock clock_of(const Event& event) const;
  void correct_start(const Event& event);

  // ---- lzb_integrator.cpp ----
  bool advance();
  bool advance_smoothly(bool& smooth);
  void choose_next_step(const Attempt& trial, bool by_time);
  void commit(const LzbClock& clock, const Attempt& attempt);
  void mend_turns();
  void book_energy(double dt);
  void change_phases();
  double expansion_stop(int a) const;
  void begin_expansion(int a);
  void open(int a);
  void begin_compression(int a);
  void soften_chattering(int a);
  void exchange_impulses(double dt);
  void return_to_impulses();
  void return_to_springs();
  void record_peak(int a, double dt);
  bool finished() const;
  bool at_rest() const;
  LzbContact& contact(int a) { return state_->contacts[active_.contact[a]]; }
  const LzbContact& contact(int a) const { return state_->contacts[active_.contact[a]]; }

  LzbState* state_ = nullptr;
  LzbLimits limits_;
  LzbActive active_;
  LzbFriction friction_;
  double h_ = 0;           // the next step, scaled time
  double h_implicit_ = 0;  // the next implicit step
  int smooth_pause_ = 0;   // implicit steps to take before the next smooth one
  int last_pause_ = 0;
  int n_ = 0, rows_ = 0, length_ = 0;

  // A state of the integration: impulses of the step by local rows, indentations, dissipated work, time.
  Vector y0_, y1_, stage_;
  Vector k_;  // derivatives by stages, then at the end and at the start; length_ each
  static constexpr int kEnd = dormand_prince::kStages, kStart = kEnd + 1;
  Vector rate_, least_rate_;             // per contact: dx/dt = max(least_rate, -rate u_n)
  Vector stiffness_, static_force_;      // per contact, copies for the inner loop
  double exponent_ = 1;                  // of all contacts; 0: they differ
  Vector u0_, u_;                        // velocities at the start, and where evaluate was called last
  Vector N0_, N_;                        // normal forces likewise
  Vector acceleration0_, acceleration_;  // du/dt by rows likewise
  Vector weight_p_, weight_x_;           // of errors
  Vector turn_x_, mended_x_;  // per contact: x at a turn inside the step, negative: none; x at the end for it
  Vector row_force_;
  Vector zero_;                   // by rows
  Vector base_, friction_guess_;  // implicit steps, by rows: velocities without a stage's T; forces at the last start
  bool locked_ = false;           // at rest under load
};

}  // namespace carom
