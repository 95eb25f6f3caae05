// The event-driven mode, for small systems and as the accuracy reference of the time-stepper: smooth phases are
// integrated with an error-controlled method of order 5, events are located, and impact laws act on the spot.
//
//   flight and held contacts   M dv/dt = F + H^T f in a fixed mode (engine/events/contact_dynamics.h)
//   impact                     a gap closes: the law maps v to v_plus on all touching contacts
//   closing                    a contact that touches and does not leave is held from then on
//   opening                    the force of a held contact vanishes
//   sticking, sliding          friction changes between the two, or slides the other way
//
// Bounces accumulate: a ball with e < 1 comes to rest after infinitely many of them in finite time. A contact that
// leaves at less than `rest_speed` and would be pressed together is therefore held. What is left out then is a time of
// rest_speed / acceleration times 2 / (1 - e), and an energy of m rest_speed^2 / 2.
//
// Where no finite contact forces exist (Painleve's paradox) the run ends with a status: an impulse without collision is
// the time-stepper's business.
#pragma once

#include "engine/events/contact_dynamics.h"
#include "engine/events/dormand_prince.h"
#include "engine/impact/impact_law.h"

namespace carom {

struct EventDrivenOptions {
  double relative_tolerance = 1e-12;  // of a step, in [1e-14, 1e-2]
  double absolute_tolerance = 1e-14;  // of a step, in the coordinates' units, > 0
  double touch_tolerance = 1e-9;      // m, > 0: contacts with smaller gaps take part in an impact
  double rest_speed = 1e-10;          // m/s, > 0: slower separation and sliding are rest, where forces hold them so
  double max_step = std::numeric_limits<double>::infinity();  // s, > 0
  int max_events = 1000000;                                   // of a run
  int max_simultaneous = 100;                                 // events without any progress in time
  bool preload = false;  // tell the law the forces of held contacts: only for lzb with stiffnesses in N/m^exponent

  template <class Self, class Visitor>
  static void visit(Self& o, Visitor&& visit) {
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    visit("relative_tolerance", o.relative_tolerance, OptionRange{1e-14, 1e-2}, "", "error of a step, relative");
    visit("absolute_tolerance", o.absolute_tolerance, OptionRange{0, 1, true}, "m, rad", "error of a step, absolute");
    visit("touch_tolerance", o.touch_tolerance, OptionRange{0, 1, true}, "m", "smaller gaps take part in an impact");
    visit("rest_speed", o.rest_speed, OptionRange{0, 1, true}, "m/s", "slower separation and sliding are rest");
    visit("max_step", o.max_step, OptionRange{0, kInfinite}, "s", "longest step of integration");
    visit("max_events", o.max_events, OptionRange{1, 1e9}, "", "limit of a run");
    visit("max_simultaneous", o.max_simultaneous, OptionRange{1, 1e6}, "", "events without any progress in time");
    visit("preload", o.preload, OptionRange{}, "", "tell the law the forces of held contacts");
  }
};

enum class EventKind : std::uint8_t { Impact, Closing, Opening, Sticking, Sliding };
std::string_view name_of(EventKind kind);  // "impact", "closing", ...

struct Event {
  double time = 0;
  EventKind kind = EventKind::Impact;
  std::vector<int> contacts;  // that took part, increasing
  // Of an impact, stacked over the contacts:
  VectorXd u_minus, u_plus;  // m/s
  VectorXd p;                // N s
  ImpactReport report;
};

enum class EventDrivenStatus : std::uint8_t {
  Done,            // the time asked for was reached
  EventLimit,      // max_events
  Chattering,      // max_simultaneous events at one time
  StepTooSmall,    // the tolerance cannot be met
  NoContactForce,  // no finite contact forces exist (Painleve's paradox)
  ImpactFailed,    // the law did not come to its end
  NumericalError,  // a value stopped being finite
};
std::string_view name_of(EventDrivenStatus status);

struct FoundEvent;

class EventDriven {
 public:
  // System and law must outlive this. Starts from the system's initial state at t = 0.
  EventDriven(const LagrangianSystem& system, ImpactLaw& law, const EventDrivenOptions& options = {});

  void set_state(double t, VectorIn q, VectorIn v);  // contacts are looked at anew; the list of events is kept

  // Goes on to t_end, or stops earlier with another status; may be called again with a later time.
  EventDrivenStatus run(double t_end);

  double time() const { return t_; }
  const VectorXd& q() const { return q_; }
  const VectorXd& v() const { return v_; }
  double kinetic_energy() const { return carom::kinetic_energy(system_, q_, v_); }
  double potential_energy() const { return system_.potential_energy(t_, q_); }
  const std::vector<Event>& events() const { return events_; }
  int count(EventKind kind) const;
  long steps() const { return steps_; }              // of integration, accepted
  const ContactMode& held() const { return mode_; }  // contacts that are closed now
  const std::string& message() const { return message_; }

 private:
  friend class EventSearch;
  EventDrivenStatus settle(const ContactMode& sliding);
  EventDrivenStatus apply_law(const std::vector<int>& touching);
  EventDrivenStatus advance(double limit);
  EventDrivenStatus integrate(double limit);
  bool integrate_to(const FoundEvent& event, double& end, VectorXd& y);
  ContactMode sliding_after(const FoundEvent& event);
  EventDrivenStatus fail(EventDrivenStatus status, const std::string& message);
  bool rate(double t, VectorIn y, VectorOut dy);
  bool evaluate_mode(double t, VectorIn q, VectorIn v);
  std::vector<int> touching_contacts() const;
  void take_mode(const ContactMode& mode);
  void remove_drift();
  void record(EventKind kind, int contact);

  const LagrangianSystem& system_;
  ImpactLaw& law_;
  EventDrivenOptions options_;
  ContactDynamics dynamics_;
  DormandPrince integrator_;

  double t_ = 0;
  VectorXd q_, v_;
  ContactMode mode_;
  std::vector<int> held_;      // contacts of mode_
  ContactMode live_;           // mode_ with the directions of sliding at the state last evaluated
  std::vector<double> close_;  // per contact: its gap where it is so small that positions cannot tell; else NaN
  bool settled_ = false;       // mode_ belongs to the state
  double left_limit_ = 0;      // rates are those before this time
  double next_step_ = 0;       // s
  int simultaneous_ = 0;
  double last_event_ = 0;
  long steps_ = 0;
  std::vector<Event> events_;
  std::string message_;
};

}  // namespace carom
