#include "io/impact_scan.h"

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>

#include "base/error.h"
#include "io/hdf5.h"
#include "io/text_file.h"

using namespace carom;

namespace {

const std::string kThree =
    "[system]\ntype = \"ball_chain\"\nballs = 3\nmass = [1, 1, 1]\nstiffness = [1, 1]\nexponent = 1\n"
    "[impact]\nlaw = \"lzb\"\n";

ImpactScan scan(const std::vector<std::string>& axes, int threads = 1, const std::string& law = "") {
  std::vector<ScanAxis> parsed;
  for (const std::string& axis : axes) parsed.push_back(parse_axis(axis));
  return scan_impact(kThree, "three.toml", law, {}, parsed, {threads});
}

void check_refused(const std::vector<std::string>& axes, const std::string& part) {
  try {
    scan(axes);
  } catch (const InputError& error) {
    INFO(std::string(error.what()));
    CHECK(std::string(error.what()).find(part) != std::string::npos);
    return;
  }
  FAIL_CHECK("accepted: " << axes[0]);
}

}  // namespace

TEST_CASE("axes are ranges, logarithmic ranges or lists, and end exactly where they say") {
  const ScanAxis even = parse_axis("eta=1:5:9");
  REQUIRE(even.values.size() == 9);
  CHECK(even.values[1] == doctest::Approx(1.5));
  CHECK(even.values.back() == 5);
  const ScanAxis log = parse_axis("stiffness_ratio=0.01:100:log:41");
  REQUIRE(log.values.size() == 41);
  CHECK(log.values[20] == doctest::Approx(1).epsilon(1e-14));
  CHECK(log.values.front() == 0.01);
  CHECK(log.values.back() == 100);
  CHECK(parse_axis("e=0,0.5,1").values == std::vector<double>{0, 0.5, 1});
  CHECK(parse_axis("e=0.3").values == std::vector<double>{0.3});
  for (const char* wrong :
       {"e", "e=", "=1", "e=1:2", "e=1:2:x", "e=1:2:0", "e=1:2:1.5", "e=0:1:log:5", "e=1:2:lin:5", "e=1,,2", "e=nan"})
    CHECK_THROWS_AS(parse_axis(wrong), InputError);
}

TEST_CASE("a scan has the same bits for any number of threads") {
  const ImpactScan one = scan({"stiffness_ratio=0.01:100:log:7", "eta=1:3:3"}, 1);
  REQUIRE(one.points() == 21);
  for (const int threads : {2, 5}) {
    const ImpactScan other = scan({"stiffness_ratio=0.01:100:log:7", "eta=1:3:3"}, threads);
    CHECK(one.velocity == other.velocity);
    CHECK(one.impulse == other.impulse);
    CHECK(one.ker == other.ker);
    CHECK(one.dispersion == other.dispersion);
    CHECK(one.status == other.status);
  }
}

TEST_CASE("outcomes of the scan reach the limits that theory gives") {
  // v3 grows from 2/3 to 1 as the second contact gets softer
  const ImpactScan s = scan({"stiffness_ratio=1e6,1e-6"});
  CHECK(s.velocity[2] == doctest::Approx(2.0 / 3).epsilon(5e-3));
  CHECK(s.velocity[5] == doctest::Approx(1).epsilon(5e-3));
  for (double ker : s.ker) CHECK(ker == doctest::Approx(1).epsilon(1e-7));
}

TEST_CASE("a number has one outcome whichever way it is named") {
  const ImpactScan alias = scan({"stiffness_ratio=3"});
  CHECK(alias.velocity == scan({"contact.2.stiffness=3"}).velocity);
  CHECK(alias.velocity == scan({"contact.2-3.stiffness=3"}).velocity);
  CHECK(alias.velocity == scan({"system.stiffness.2=3"}).velocity);
  CHECK(scan({"mass_ratio=2"}).velocity == scan({"system.mass.2=2", "system.mass.3=2"}).velocity);
  CHECK(scan({"e=0.5"}).velocity == scan({"contact.1.restitution=0.5", "contact.2.restitution=0.5"}).velocity);
  CHECK(scan({"tolerance=1e-6"}).velocity == scan({"impact.tolerance=1e-6"}).velocity);
}

TEST_CASE("the last axis runs fastest") {
  const ImpactScan s = scan({"e=0,1", "eta=1,1.5,2"});
  REQUIRE(s.points() == 6);
  CHECK(s.axis_value(1, 0) == 0);
  CHECK(s.axis_value(1, 1) == 1.5);
  CHECK(s.axis_value(3, 0) == 1);
  CHECK(s.ker[3] == doctest::Approx(1));
  CHECK(s.ker[0] == doctest::Approx(1.0 / 3));  // plastic: all go at 1/3
}

TEST_CASE("what cannot be scanned is refused by name") {
  check_refused({"eata=1:2:3"}, "did you mean \"eta\"");
  check_refused({"contact.7.stiffness=1"}, "there are 2 contacts");
  check_refused({"contact.1.stifness=1"}, "did you mean \"stiffness\"");
  check_refused({"system.bals=4"}, "did you mean \"balls\"");
  check_refused({"system.mass.4=1"}, "the list has 3 elements");
  check_refused({"system.type=4"}, "not a number");
  check_refused({"balls=3,4"}, "must have one value for all or 4 (got 3 values) (at balls=4)");
  check_refused({"eta=0.5:2:4"}, "at eta=0.5");
  check_refused({"e=0:1.5:4"}, "at e=1.5");
  check_refused({"e=0:1:5", "e=0:1:5"}, "given twice");
  check_refused({"e=0:1:10000000", "eta=1:2:2"}, "more than");
}

TEST_CASE("scans are written as rows of numbers that read back, or as arrays shaped like the grid") {
  const ImpactScan s = scan({"e=0,1", "eta=1,1.5,2"});
  const std::string folder = CAROM_BINARY_DIR "/test_scan";
  std::filesystem::create_directories(folder);
  write_scan(folder + "/scan.csv", s);
  const std::string text = read_text_file(folder + "/scan.csv");
  CHECK(text.starts_with("e,eta,v x1,v x2,v x3,p 1-2 n [N s],p 2-3 n [N s],KER,C_KE,"));
  CHECK(std::count(text.begin(), text.end(), '\n') == 7);
  CHECK(text.find("1,1.5,") != std::string::npos);

  write_scan(folder + "/scan.h5", s);
  const h5::File file = h5::File::open_for_reading(folder + "/scan.h5");
  CHECK(file.text_attribute("/scan", "format") == "carom-scan");
  CHECK(file.read_texts("/scan/axes") == std::vector<std::string>{"e", "eta"});
  const h5::Dataset velocity = file.open_dataset("/outcome/velocity", h5::Type::Float64, 3);
  CHECK(velocity.extent() == h5::Extent{2, 3, 3});
  std::vector<double> values(18);
  velocity.read_rows(0, 2, values.data());
  CHECK(values == s.velocity);
  CHECK(file.open_dataset("/outcome/ker", h5::Type::Float64, 2).extent() == h5::Extent{2, 3});
  CHECK_THROWS_AS(write_scan(folder + "/scan.txt", s), InputError);
}
