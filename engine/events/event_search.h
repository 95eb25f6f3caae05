// Where in a step of integration the first event happens: gaps that close, forces that vanish, friction that gives way,
// sliding that ends. Functions are sampled along the continuous output; where one changes sign, or a gap dips below
// zero between two samples, the root is found to the last digits of time.
#pragma once

#include "engine/event_driven.h"

namespace carom {

enum class EventCause : std::uint8_t { Gap, Force, StickLimit, SlidingEnd };

struct FoundEvent {
  double time = 0;
  EventCause cause = EventCause::Gap;
  int contact = 0;
};

class EventSearch {
 public:
  explicit EventSearch(EventDriven& run) : run_(run), system_(run.system_), step_(run.integrator_) {}

  std::optional<FoundEvent> first();

  // The gap of an open contact at a time of the step. Flights too short for positions to tell are followed by their
  // velocity: gap at the start + integral of u_n.
  double gap(int contact, double t);

 private:
  struct Sample {
    double t;
    VectorXd g;                   // gaps of all contacts
    VectorXd rate;                // u_n of all contacts
    std::vector<double> monitor;  // per monitor of held contacts
  };
  struct Monitor {
    EventCause cause;
    int held;  // index in the mode
  };

  void take_sample(double t, Sample& sample);
  void look_at_gap(int contact);
  void look_at_monitor(int index);
  double normal_velocity(int contact, double t);
  double monitor_value(const Monitor& monitor, double t);
  double evaluated_monitor(const Monitor& monitor) const;
  bool mode_holds(double t);
  void offer(double t, EventCause cause, int contact);

  EventDriven& run_;
  const LagrangianSystem& system_;
  const DormandPrince& step_;
  std::vector<Sample> samples_;
  std::vector<Monitor> monitors_;
  double slack_ = 0;  // N: forces below are none
  std::optional<FoundEvent> found_;
  VectorXd y_;
  ContactRows rows_;
};

}  // namespace carom
