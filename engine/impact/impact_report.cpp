#include "engine/impact/impact_report.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace carom {

namespace {

// The kinetic energy that could be at stake: T_minus, or what bringing each approaching contact to rest alone would
// take.
double energy_scale(const ImpactProblem& problem) {
  if (problem.kinetic_energy > 0) return problem.kinetic_energy;
  double scale = 0;
  for (int i = 0; i < problem.cones.count(); ++i) {
    const double approach = std::min(0.0, problem.u_minus[problem.cones.offset(i)]);
    scale += 0.5 * approach * approach / normal_entry(problem.W, i, i);
  }
  return scale;
}

}  // namespace

std::string_view name_of(ImpactStatus status) {
  switch (status) {
    case ImpactStatus::Done:
      return "done";
    case ImpactStatus::NothingApproaches:
      return "nothing approaches";
    case ImpactStatus::EventLimit:
      return "event limit";
    case ImpactStatus::NotSolved:
      return "not solved";
    case ImpactStatus::NumericalError:
      return "numerical error";
  }
  return "unknown";
}

std::string_view name_of(Uniqueness uniqueness) {
  switch (uniqueness) {
    case Uniqueness::Unique:
      return "unique";
    case Uniqueness::VelocitiesOnly:
      return "velocities only";
    case Uniqueness::NotKnown:
      return "not known";
  }
  return "unknown";
}

void add_remark(ImpactReport& report, const std::string& sentence) {
  if (!report.message.empty() && !sentence.empty()) report.message += "; ";
  report.message += sentence;
}

void judge_impact(const ImpactProblem& problem, VectorIn p, ImpactReport& report) {
  const VectorXd u = velocity_after(problem, p);
  // T_plus - T_minus = p . (u_plus + u_minus) / 2
  report.energy_change = 0.5 * p.dot(u + problem.u_minus);
  const double scale = energy_scale(problem);
  report.energy_growth = report.energy_change > 0 ? report.energy_change / (scale > 0 ? scale : 1.0) : 0.0;
  report.ker = std::isnan(problem.kinetic_energy) ? problem.kinetic_energy
               : problem.kinetic_energy > 0       ? 1 + report.energy_change / problem.kinetic_energy
                                                  : 1.0;
  report.kinematic_violation = report.kinetic_violation = 0;
  for (int i = 0; i < problem.cones.count(); ++i) {
    const int offset = problem.cones.offset(i), dim = problem.cones.dim(i);
    report.kinematic_violation = std::max(report.kinematic_violation, -u[offset]);
    double inside[kMaxBlockDim] = {}, squares = 0;
    for (int k = 0; k < dim; ++k) inside[k] = p[offset + k];
    project(problem.cones[i], inside);
    for (int k = 0; k < dim; ++k) squares += (p[offset + k] - inside[k]) * (p[offset + k] - inside[k]);
    report.kinetic_violation = std::max(report.kinetic_violation, std::sqrt(squares));
  }
  if (!u.allFinite() || !p.allFinite()) report.status = ImpactStatus::NumericalError;
  report.terminated = report.status <= ImpactStatus::NothingApproaches;
}

double kinetic_angle(const ImpactProblem& problem, int i, int j) {
  const BlockSparse& W = problem.W;
  const double cosine = normal_entry(W, i, j) / std::sqrt(normal_entry(W, i, i) * normal_entry(W, j, j));
  return std::numbers::pi - std::acos(std::clamp(cosine, -1.0, 1.0));
}

MatrixXd kinetic_angles(const ImpactProblem& problem) {
  const int count = problem.cones.count();
  MatrixXd angles(count, count);
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < count; ++j) angles(i, j) = i == j ? std::numbers::pi : kinetic_angle(problem, i, j);
  return angles;
}

double dispersion_index(std::span<const double> energies) {
  if (energies.empty()) return 0;
  const auto count = static_cast<double>(energies.size());
  double mean = 0, squares = 0;
  for (double energy : energies) mean += energy / count;
  for (double energy : energies) squares += (energy - mean) * (energy - mean) / count;
  return mean > 0 ? std::sqrt(squares) / mean : 0.0;
}

}  // namespace carom
