#include "io/impact_file.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "base/error.h"

using namespace carom;

namespace {

// Line 1 is [system], line 5 [impact].
const std::string kChain = "[system]\ntype = \"ball_chain\"\nballs = 3\nrestitution = 1\n[impact]\nlaw = \"lzb\"\n";

const std::string kExplicit =
    "[system]\ntype = \"explicit\"\nmass = [1, 1, 1]\nvelocities = [1, 0, 0]\n"
    "[[contact]]\nname = \"1-2\"\nnormal = [-1, 1, 0]\nrestitution = 1\n"
    "[[contact]]\nname = \"2-3\"\nnormal = [0, -1, 1]\nrestitution = 1\n"
    "[impact]\nlaw = \"lzb\"\n";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

ImpactOutcome outcome_of(const std::string& text) {
  const ImpactFile file = parse_impact_file(text, "test.toml");
  return strike(file, *make_law_of(file, file.law));
}

// The text is rejected at this line, by the reader or by the law, with a message that contains `part`.
void check_rejected(const std::string& text, int line, const std::string& part) {
  CAPTURE(text);
  try {
    outcome_of(text);
  } catch (const InputError& error) {
    INFO(std::string(error.what()));
    CHECK(error.place().file == "test.toml");
    CHECK(error.place().line == line);
    CHECK(std::string(error.what()).find(part) != std::string::npos);
    return;
  }
  FAIL_CHECK("the impact was accepted");
}

}  // namespace

TEST_CASE("an impact stated by its numbers is the same as the system that has them") {
  const ImpactOutcome chain = outcome_of(kChain), stated = outcome_of(kExplicit);
  CHECK((chain.v - stated.v).lpNorm<Eigen::Infinity>() == 0);
  CHECK((chain.p - stated.p).lpNorm<Eigen::Infinity>() == 0);
  CHECK(chain.dispersion == stated.dispersion);
  CHECK(chain.kinetic_before == doctest::Approx(0.5));

  const std::string full = replaced(kExplicit, "mass = [1, 1, 1]", "mass_matrix = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]");
  const std::string inverse =
      replaced(kExplicit, "mass = [1, 1, 1]", "inverse_mass_matrix = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]");
  CHECK((outcome_of(full).v - chain.v).lpNorm<Eigen::Infinity>() < 1e-14);
  CHECK((outcome_of(inverse).v - chain.v).lpNorm<Eigen::Infinity>() < 1e-14);
}

TEST_CASE("coupled masses and friction stated by numbers obey momentum and energy") {
  const ImpactOutcome outcome = outcome_of(
      "[system]\ntype = \"explicit\"\nmass_matrix = [[2, 0.5], [0.5, 1]]\nvelocities = [0.3, -1]\n"
      "[[contact]]\nnormal = [0, 1]\ntangent = [1, 0]\nfriction = 0.2\n[impact]\nlaw = \"newton\"\n");
  CHECK(outcome.u[0] == doctest::Approx(0).epsilon(1e-12));
  CHECK(outcome.body_energies.size() == 1);  // coupled coordinates are one body
  CHECK(outcome.kinetic_after <= outcome.kinetic_before);
  // M (v+ - v-) = H^T p
  const Vec2 v(0.3, -1), change = outcome.v - v;
  CHECK(2 * change[0] + 0.5 * change[1] == doctest::Approx(outcome.p[1]));
  CHECK(0.5 * change[0] + change[1] == doctest::Approx(outcome.p[0]));
}

TEST_CASE("[[contact]] speaks of contacts by name or number, and velocities of coordinates by name") {
  const std::string softer = kChain + "[[contact]]\nname = \"2-3\"\nstiffness = 1e-6\n";
  CHECK(outcome_of(softer).v[2] == doctest::Approx(1).epsilon(1e-2));  // a soft second contact: the cradle
  const std::string numbered = kChain + "[[contact]]\nname = \"2\"\nstiffness = 1e-6\n";
  CHECK((outcome_of(softer).v - outcome_of(numbered).v).norm() == 0);
  const std::string pushed =
      replaced(kChain, "restitution = 1\n", "restitution = 1\nvelocities = { x1 = 2, x2 = 0 }\n");
  CHECK((outcome_of(pushed).v - 2 * outcome_of(kChain).v).norm() < 1e-7);  // impacts scale with speed
  const ImpactFile preloaded = parse_impact_file(kChain + "[[contact]]\nname = \"2-3\"\npreload = 5\n", "test.toml");
  CHECK(preloaded.impact.problem.contacts[1].preload == 5);
}

TEST_CASE("[impact] contacts says which take part, and open contacts do not by themselves") {
  const std::string apart = replaced(kChain, "balls = 3", "balls = 3\ngap = [0, 1e-3]");
  CHECK(parse_impact_file(apart, "test.toml").impact.closed == std::vector<int>{0});
  CHECK(parse_impact_file(apart + "gap_tolerance = 1e-2\n", "test.toml").impact.closed == std::vector<int>{0, 1});
  CHECK(parse_impact_file(kChain + "contacts = [\"2-3\"]\n", "test.toml").impact.closed == std::vector<int>{1});
  check_rejected(replaced(kChain, "balls = 3", "balls = 3\ngap = 1e-3"), 6, "no contact is closed");
  check_rejected(kChain + "contacts = [\"2-4\"]\n", 7, "did you mean");
}

TEST_CASE("bad numbers are refused with file, line and value, and nothing is clamped") {
  check_rejected(replaced(kChain, "restitution = 1", "restitution = -0.1"), 4, "-0.1");
  check_rejected(replaced(kChain, "restitution = 1", "restitution = 1.5"), 1, "1.5");
  check_rejected(replaced(kExplicit, "restitution = 1", "restitution = 1.5"), 5, "contact \"1-2\"");
  check_rejected(replaced(kExplicit, "restitution = 1", "stiffness = 0"), 8, "must be > 0");
  check_rejected(replaced(kExplicit, "restitution = 1", "stiffness = -3"), 8, "-3");
  check_rejected(replaced(kExplicit, "restitution = 1", "exponent = 0.9"), 8, "must be >= 1");
  check_rejected(replaced(kExplicit, "restitution = 1", "preload = -1"), 8, "must be >= 0");
  check_rejected(replaced(kExplicit, "restitution = 1", "tangential_restitution = 2"), 8, "in [-1, 1]");
  check_rejected(replaced(kExplicit, "restitution = 1", "friction = 0.5"), 5, "tangent");
  check_rejected(replaced(kExplicit, "[-1, 1, 0]", "[0, 0, 0]"), 7, "neither body");
  check_rejected(replaced(kExplicit, "[-1, 1, 0]", "[-1, 1]"), 7, "a list of 3 numbers");
  check_rejected(replaced(kExplicit, "mass = [1, 1, 1]", "mass = [1, 1, 0]"), 3, "must be > 0");
  check_rejected(replaced(kExplicit, "mass = [1, 1, 1]", "mass = [1, 1]"), 3, "a list of 3 numbers");
  check_rejected(replaced(kExplicit, "mass = [1, 1, 1]", "mass_matrix = [[1, 0, 0], [0, 1, 2], [0, 0, 1]]"), 1,
                 "symmetric");
  check_rejected(replaced(kExplicit, "velocities = [1, 0, 0]", "velocities = [1, 0, nan]"), 4, "finite");
  check_rejected(replaced(kExplicit, "law = \"lzb\"", "law = \"lbz\""), 14, "did you mean \"lzb\"");
  check_rejected(
      replaced(kExplicit, "law = \"lzb\"", "law = \"restitution_matrix\"\nmatrix = [[1, 0], [0, 1], [0, 0]]"), 13,
      "matrix");
  check_rejected(replaced(kExplicit, "law = \"lzb\"", "law = \"restitution_matrix\"\nmatrix = [[1, 0], [0]]"), 15,
                 "must have 2 entries");
  check_rejected(replaced(kChain, "balls", "bals"), 3, "did you mean \"balls\"");
  check_rejected(replaced(kChain, "[impact]", "[impcat]"), 5, "did you mean \"impact\"");
  check_rejected(kChain + "tolerence = 1e-6\n", 7, "did you mean \"tolerance\"");
  check_rejected(kChain + "[[contact]]\nname = \"1-3\"\n", 8, "there is no contact of this name");
}

TEST_CASE("a matrix that adds energy is computed and reported, not refused") {
  const ImpactOutcome outcome =
      outcome_of(replaced(kExplicit, "law = \"lzb\"", "law = \"restitution_matrix\"\nmatrix = [[0.9, 0], [0.9, 0.9]]"));
  CHECK(outcome.report.ker > 1);
  CHECK(outcome.report.energy_growth > 0.1);
  CHECK_FALSE(outcome.report.admissible);
}

TEST_CASE("contacts that all separate leave velocities alone and say so") {
  const ImpactOutcome outcome = outcome_of(replaced(kExplicit, "velocities = [1, 0, 0]", "velocities = [-1, 0, 2]"));
  CHECK(outcome.report.status == ImpactStatus::NothingApproaches);
  CHECK(outcome.p.isZero(0));
  CHECK((outcome.v - Vec3(-1, 0, 2)).norm() == 0);
}

TEST_CASE("options of other laws may stand beside those of the chosen one") {
  const ImpactFile file = parse_impact_file(
      kChain + "tolerance = 1e-6\n[impact.restitution_matrix]\nmatrix = [[0.5, 0], [0, 0.5]]\n", "test.toml");
  CHECK(std::get<double>(file.options.at("lzb").at("tolerance")) == 1e-6);
  const ImpactOutcome outcome = strike(file, *make_law_of(file, "restitution_matrix"));
  CHECK(outcome.u[0] == doctest::Approx(0.5));
  check_rejected(kChain + "tolerance = 1e-6\n[impact.lzb]\ntolerance = 1e-7\n", 9, "already");
}

TEST_CASE("every example is accepted, and its law comes to a consistent end") {
  int examples = 0;
  for (const auto& entry : std::filesystem::directory_iterator(CAROM_SOURCE_DIR "/examples/impacts")) {
    if (entry.path().extension() != ".toml") continue;
    CAPTURE(entry.path().string());
    const ImpactFile file = read_impact_file(entry.path());
    const ImpactOutcome outcome = strike(file, *make_law_of(file, file.law));
    CHECK(outcome.report.status == ImpactStatus::Done);
    CHECK(outcome.report.consistent(1e-9));
    CHECK_FALSE(file.title.empty());
    ++examples;
  }
  CHECK(examples >= 12);
}
