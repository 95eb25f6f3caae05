#include <doctest/doctest.h>

#include <set>

#include "base/error.h"
#include "engine/impact/newton.h"
#include "engine/impact/registry.h"
#include "engine/impact/restitution_matrix.h"
#include "impact_systems.h"

using namespace carom;

namespace {

std::string complaint(const std::string& name, const OptionValues& options) {
  try {
    make_impact_law(name, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("every law of the table can be made, describes itself and applies itself") {
  std::set<std::string> names;
  const ImpactSystem row = ball_chain({1, 1, 1}, {1, 0, 0}, false, {.restitution = 0.5});
  for (const ImpactLawInfo& info : impact_law_table()) {
    CAPTURE(info.name);
    const auto law = make_impact_law(info.name);
    CHECK(law->name() == info.name);
    CHECK(names.insert(info.name).second);
    CHECK(!info.summary.empty());
    CHECK(!info.restitution.empty());
    CHECK(info.most_restitution >= 1);
    for (const OptionInfo& option : info.options) {
      CHECK(!option.help.empty());
      CHECK(!option.type.empty());
      CHECK(!option.default_value.empty());
    }
    for (const std::string& preset : info.presets) {
      CHECK(names.insert(preset).second);
      CHECK(make_impact_law(preset)->name() == info.name);
    }
    int samples = 0;
    double latest = -1;
    law->observe([&](const ImpactSample& sample) {
      ++samples;
      CHECK(sample.time > latest);
      latest = sample.time;
      CHECK((row.problem.u_minus + to_dense({.factors = {}, .assembled = row.problem.W}, row.problem.cones) * sample.p -
             sample.u)
                .norm() <= 1e-9);
    });
    VectorXd p;
    const ImpactReport report = law->apply(row.problem, p);
    CHECK(report.status == ImpactStatus::Done);
    CHECK(report.energy_growth <= 1e-10);
    CHECK(samples >= 2);
  }
}

TEST_CASE("an unknown law is told which there are, presets among them") {
  const std::string text = complaint("netwon", {});
  for (const ImpactLawInfo& info : impact_law_table()) CHECK(says(text, info.name));
  CHECK(says(text, "moreau"));
  CHECK(says(text, "got netwon"));
}

TEST_CASE("options of laws are checked by name, type and range") {
  CHECK(says(complaint("newton", {{"presets", std::string("moreau")}}), "preset"));
  CHECK(says(complaint("newton", {{"preset", std::string("coulomb")}}), "contacts|moreau|fremond"));
  CHECK(says(complaint("moreau", {{"preset", std::string("fremond")}}), "fixed by the law moreau"));
  CHECK(says(complaint("binary", {{"order", std::string("random")}}), "fastest_approach"));
  CHECK(says(complaint("binary", {{"max_events", std::int64_t{0}}}), "[1, 1e+09]"));
  CHECK(says(complaint("impulse_ratio", {{"ratio", 1.5}}), "[0, 1]"));
  CHECK(
      says(complaint("impulse_ratio", {{"ratios", std::string("0 -1; 1 0")}}), "entries must be finite and in [0, 1]"));
  CHECK(says(complaint("restitution_matrix", {{"matrix", std::string("0 1; 1")}}), "row 2"));
  CHECK(says(complaint("restitution_matrix", {{"matrix", std::string("0 inf; 1 0")}}), "finite"));
  CHECK(says(complaint("restitution_matrix", {{"matrix", true}}), "matrix"));
}

TEST_CASE("options arrive in the law, matrices as text") {
  auto law = make_impact_law(
      "restitution_matrix",
      {{"matrix", std::string("0 0.5; 0.25 0")}, {"tangential", std::string("stick")}, {"tolerance", 1e-10}});
  const RestitutionMatrixOptions& options = dynamic_cast<RestitutionMatrixLaw&>(*law).options();
  MatrixXd E(2, 2);
  E << 0, 0.5, 0.25, 0;
  CHECK(options.matrix == E);
  CHECK(options.tangential == TangentialRule::Stick);
  CHECK(options.solve.tolerance == 1e-10);
  CHECK(
      dynamic_cast<RestitutionMatrixLaw&>(*make_impact_law("restitution_matrix", {{"matrix", 0.5}})).options().matrix ==
      MatrixXd::Constant(1, 1, 0.5));
  CHECK(dynamic_cast<NewtonLaw&>(*make_impact_law("fremond")).options().preset == NewtonPreset::Fremond);
}
