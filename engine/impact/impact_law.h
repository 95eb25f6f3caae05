// What every impact law is: an impact in, impulses and an honest report out.
#pragma once

#include <functional>
#include <memory>

#include "engine/impact/impact_report.h"

namespace carom {

// One moment of an impact as a law unfolds it: lzb samples its integration, poisson the ends of its phases, binary each
// collision; every law gives at least the start and the end.
using VectorView = Eigen::Ref<const VectorXd>;
struct ImpactSample {
  double time = 0;    // s where stiffness is absolute (lzb), else the number of the stage
  VectorView u;       // relative velocities, m/s
  VectorView p;       // impulses up to now, N s
  VectorView force;   // lzb: contact forces, N, stacked as u; empty otherwise
  VectorView energy;  // lzb: potential energy of each contact, J; empty otherwise
};
using ImpactObserver = std::function<void(const ImpactSample&)>;

class ImpactLaw {
 public:
  virtual ~ImpactLaw() = default;
  virtual std::string_view name() const = 0;

  // p: one impulse per row, out. Throws InputError on parameters out of range, before any work; everything numerical is
  // a status. The report is judged (judge_impact) on every path.
  virtual ImpactReport apply(const ImpactProblem& problem, VectorXd& p) = 0;

  // Called with every sample of the applications that follow; empty: nobody.
  void observe(ImpactObserver observer) { observer_ = std::move(observer); }

 protected:
  // What every application begins with: checks the problem and that restitution is in [0, most_restitution], makes p =
  // 0 and a fresh report, shows the start. False when nothing approaches: the report is then complete.
  bool begin(const ImpactProblem& problem, double most_restitution, VectorXd& p, ImpactReport& report) const;
  // And ends with: judges p and shows the end.
  void end(const ImpactProblem& problem, VectorIn p, ImpactReport& report) const;
  void show(double time, VectorIn u, VectorIn p) const;

  ImpactObserver observer_;
};

}  // namespace carom
