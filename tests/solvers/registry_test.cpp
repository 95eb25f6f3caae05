#include "solvers/registry.h"

#include <doctest/doctest.h>

#include <limits>

#include "base/error.h"
#include "solvers/nsgs.h"

using namespace carom;

namespace {

std::string complaint(const std::string& name, const OptionValues& options) {
  try {
    make_solver(name, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("every solver in the table can be made with its own defaults") {
  CHECK(!solver_table().empty());
  for (const SolverInfo& info : solver_table()) {
    CHECK(make_solver(info.name)->name() == info.name);
    CHECK(!info.summary.empty());
    for (const OptionInfo& option : info.options) {
      CHECK(!option.help.empty());
      CHECK(!option.type.empty());
      CHECK(!option.default_value.empty());
    }
  }
}

TEST_CASE("an unknown solver is told which there are") {
  const std::string text = complaint("nsgd", {});
  CHECK(says(text, "nsgs"));
  CHECK(says(text, "got nsgd"));
}

TEST_CASE("an unknown option is told which there are") {
  const std::string text = complaint("nsgs", {{"tolerence", 1e-3}});
  CHECK(says(text, "tolerence"));
  for (const OptionInfo& option : solver_table()[0].options) CHECK(says(text, option.name));
}

TEST_CASE("an option of the wrong type or out of range is told what is allowed") {
  CHECK(says(complaint("nsgs", {{"tolerance", std::string("small")}}), "tolerance: must be of type real in [0, 1]"));
  CHECK(says(complaint("nsgs", {{"max_iterations", 10.5}}), "integer"));
  CHECK(says(complaint("nsgs", {{"max_iterations", std::int64_t{0}}}), "[1, 1e+09]"));
  CHECK(says(complaint("nsgs", {{"max_iterations", std::int64_t{1} << 40}}), "[1, 1e+09]"));
  CHECK(says(complaint("nsgs", {{"relaxation", 2.0}}), "(0, 2)"));
  CHECK(says(complaint("nsgs", {{"relaxation", 0.0}}), "(0, 2)"));
  CHECK(says(complaint("nsgs", {{"tolerance", std::numeric_limits<double>::quiet_NaN()}}), "[0, 1]"));
  CHECK(says(complaint("nsgs", {{"record_history", std::int64_t{1}}}), "true or false"));
  CHECK(says(complaint("nsgs", {{"measure", std::string("speed")}}), "natural_map|velocity"));
  CHECK(says(complaint("nsgs", {{"measure", 1.0}}), "natural_map|velocity"));
}

TEST_CASE("options arrive in the solver") {
  const auto solver = make_solver("nsgs", {{"tolerance", 1e-5},
                                           {"measure", std::string("velocity")},
                                           {"max_iterations", std::int64_t{7}},
                                           {"max_seconds", std::int64_t{2}},
                                           {"relaxation", 1.5},
                                           {"record_history", true}});
  const NsgsOptions& options = dynamic_cast<Nsgs&>(*solver).options();
  CHECK(options.stop.tolerance == 1e-5);
  CHECK(options.stop.measure == Measure::Velocity);
  CHECK(options.stop.max_iterations == 7);
  CHECK(options.stop.max_seconds == 2);
  CHECK(options.relaxation == 1.5);
  CHECK(options.check.record_history);
}

TEST_CASE("the description carries default, range and unit") {
  const std::vector<OptionInfo> list = describe_options<NsgsOptions>();
  CHECK(list[0].name == "tolerance");
  CHECK(list[0].default_value == "1e-08");
  CHECK(list[0].range.text() == "[0, 1]");
  CHECK(list[1].type == "natural_map|velocity");
  CHECK(list[3].unit == "s");
}

TEST_CASE("a matrix written as text reads back to the last digit") {
  MatrixXd matrix(2, 3);
  matrix << 0, 0.1, -1.0 / 3, 1e-300, 2, 0.7071067811865476;
  CHECK(parse_matrix(matrix_text(matrix), "E") == matrix);
  CHECK(matrix_text(MatrixXd()) == "none");
  CHECK(parse_matrix("none", "E").size() == 0);
  MatrixXd spelled(2, 2);
  spelled << 0, 0.5, 0.5, 0;
  CHECK(parse_matrix("0,0.5;\t0.5, 0", "E") == spelled);
}

TEST_CASE("a text that is no matrix is told how one reads") {
  const auto complaint_of = [](const std::string& text) -> std::string {
    try {
      parse_matrix(text, "E_n");
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  CHECK(says(complaint_of("0 0.5; x 0"), "E_n"));
  CHECK(says(complaint_of("0 0.5; x 0"), "semicolons"));
  CHECK(says(complaint_of("0 0.5; 1"), "row 2 has 1 entries where the first has 2"));
  CHECK(says(complaint_of(""), "0 entries"));
  CHECK(says(complaint_of("1;"), "row 2 has 0"));
}
