#include "siconos_chain.h"

#include <sys/wait.h>
#include <unistd.h>

#include <SiconosKernel.hpp>
#include <chrono>
#include <cmath>
#include <cstdio>

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

constexpr double kRadius = 0.1;  // m
constexpr double kGap = 0.01;    // m, before the first ball

// Follows the first ball to its impact; velocities after it, and the seconds that the impact took.
std::vector<double> strike(const SiconosChain& chain, double& seconds) {
  auto system = std::make_shared<NonSmoothDynamicalSystem>(0.0, 1.0);
  std::vector<std::shared_ptr<LagrangianLinearTIDS>> balls;
  for (int i = 0; i < chain.balls; ++i) {
    auto q = std::make_shared<SiconosVector>(1), v = std::make_shared<SiconosVector>(1);
    (*q)(0) = 2 * kRadius * i - (i == 0 ? kGap : 0.0);
    (*v)(0) = i == 0 ? 1.0 : 0.0;
    auto mass = std::make_shared<SimpleMatrix>(1, 1);
    (*mass)(0, 0) = 1;
    balls.push_back(std::make_shared<LagrangianLinearTIDS>(q, v, mass));
    system->insertDynamicalSystem(balls.back());
  }
  for (int i = 0; i + 1 < chain.balls; ++i) {
    auto H = std::make_shared<SimpleMatrix>(1, 2);
    (*H)(0, 0) = -1;
    (*H)(0, 1) = 1;
    auto gap = std::make_shared<SiconosVector>(1);
    (*gap)(0) = -2 * kRadius;
    auto law = std::make_shared<MultipleImpactNSL>(chain.restitution, chain.stiffness, chain.exponent);
    auto contact = std::make_shared<Interaction>(law, std::make_shared<LagrangianLinearTIR>(H, gap));
    system->link(contact, balls[static_cast<std::size_t>(i)], balls[static_cast<std::size_t>(i) + 1]);
  }
  auto time = std::make_shared<TimeDiscretisation>(0.0, 0.1);
  auto simulation = std::make_shared<EventDriven>(system, time);
  auto impact = std::make_shared<MultipleImpact>("BiStiffness", chain.step);
  impact->SetNstepMax(2000000000u);
  impact->SetSaveData(false);
  simulation->insertIntegrator(std::make_shared<LsodarOSI>());
  simulation->insertNonSmoothProblem(impact, SICONOS_OSNSP_ED_IMPACT);
  simulation->insertNonSmoothProblem(std::make_shared<LCP>(), SICONOS_OSNSP_ED_SMOOTH_ACC);
  simulation->initialize();
  while (simulation->hasNextEvent()) {
    simulation->advanceToEvent();
    const double start = now();
    simulation->processEvents();
    // Balls that touch from the beginning make an event too, which changes nothing.
    if (std::abs((*balls[0]->velocity())(0) - 1) < 1e-9) continue;
    seconds = now() - start;
    std::vector<double> velocities;
    for (const auto& ball : balls) velocities.push_back((*ball->velocity())(0));
    return velocities;
  }
  return {};
}

[[noreturn]] void child(const SiconosChain& chain, int pipe_end) {
  if (!freopen("/dev/null", "w", stdout)) _exit(1);
  alarm(static_cast<unsigned>(chain.most_seconds));
  try {
    double seconds = 0;
    std::vector<double> message = strike(chain, seconds);
    message.push_back(seconds);
    const auto size = message.size() * sizeof(double);
    const bool whole = write(pipe_end, message.data(), size) == static_cast<ssize_t>(size);
    _exit(whole ? 0 : 1);
  } catch (...) {
    _exit(1);
  }
}

}  // namespace

SiconosOutcome run_siconos_chain(const SiconosChain& chain) {
  SiconosOutcome outcome;
  int ends[2];
  if (pipe(ends) != 0) return outcome;
  const double start = now();
  fflush(stdout);
  const pid_t process = fork();
  if (process == 0) child(chain, ends[1]);
  close(ends[1]);
  std::vector<double> message(static_cast<std::size_t>(chain.balls) + 1);
  std::size_t got = 0;
  for (ssize_t part = 1; part > 0 && got < message.size() * sizeof(double); got += static_cast<std::size_t>(part)) {
    part = read(ends[0], reinterpret_cast<char*>(message.data()) + got, message.size() * sizeof(double) - got);
    if (part < 0) break;
  }
  close(ends[0]);
  int status = 0;
  waitpid(process, &status, 0);
  outcome.seconds = now() - start;
  if (got != message.size() * sizeof(double)) return outcome;
  outcome.done = true;
  outcome.seconds = message.back();
  message.pop_back();
  outcome.velocities = std::move(message);
  return outcome;
}
