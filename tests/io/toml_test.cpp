#include <doctest/doctest.h>

#include <cmath>

#include "io/toml_reader.h"

using namespace carom;

namespace {

const std::string kFile = "t.toml";

template <class Action>
InputError error_of(Action&& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error;
  }
  FAIL("no InputError");
  return InputError("none");
}

bool contains(const InputError& error, const std::string& part) {
  return std::string(error.what()).find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("keys come in the order of the text, with the place of key and value") {
  const TomlNode tree = parse_toml("zebra = 1\n  apple = [2.5, 3]\n[m]\nk = true\n", kFile);
  const TomlTable root(tree, kFile, "");
  CHECK(root.keys() == std::vector<std::string>{"zebra", "apple", "m"});
  const auto& entries = std::get<TomlEntries>(tree.value);
  CHECK(entries[1].line == 2);
  CHECK(entries[1].column == 3);
  CHECK(entries[1].node.line == 2);
  CHECK(entries[1].node.column == 11);
}

TEST_CASE("values are read by type, and integers serve as reals") {
  const TomlNode tree = parse_toml("a = 1\nb = 2.5\nc = \"x\"\nd = false\ne = [1, 2.0, 3]\n", kFile);
  TomlTable root(tree, kFile, "");
  CHECK(root.need("a").real() == 1.0);
  CHECK(root.need("a").integer(0, 5) == 1);
  CHECK(root.real("b", positive(), 0) == 2.5);
  CHECK(root.text("c", "") == "x");
  CHECK(root.flag("d", true) == false);
  CHECK(root.vector3("e", Vec3::Zero()) == Vec3(1, 2, 3));
  CHECK(root.real("absent", positive(), 7) == 7);
  root.finish();
}

TEST_CASE("a wrong type names what was expected and what was found, at the value") {
  const TomlNode tree = parse_toml("a = \"ten\"\nb = 1.5\nc = [1, 2]\nd = 3\ne = 1979-05-27\n", kFile);
  TomlTable root(tree, kFile, "");
  const InputError text = error_of([&] { root.need("a").real(); });
  CHECK(text.place().text() == "t.toml:1:5: a");
  CHECK(contains(text, "expected a number, found a text"));
  CHECK(text.value() == "\"ten\"");
  CHECK(contains(error_of([&] { root.need("b").integer(0, 5); }), "expected an integer, found a real number"));
  CHECK(contains(error_of([&] { root.need("c").vector3(); }), "expected a list of 3 numbers, found a list of 2"));
  CHECK(contains(error_of([&] { root.need("d").flag(); }), "expected true or false, found an integer"));
  CHECK(contains(error_of([&] { root.need("d").table(); }), "expected a table, found an integer"));
  CHECK(contains(error_of([&] { root.need("e").text(); }), "found a date"));
}

TEST_CASE("NaN and infinity are rejected by name wherever a real is read") {
  const TomlNode tree = parse_toml("a = nan\nb = -inf\nc = [0, inf, 0]\n", kFile);
  TomlTable root(tree, kFile, "");
  CHECK(contains(error_of([&] { root.need("a").real(); }), "NaN"));
  CHECK(contains(error_of([&] { root.need("b").real(); }), "infinity"));
  const InputError inside = error_of([&] { root.need("c").vector3(); });
  CHECK(inside.place().item == "c[1]");
  CHECK(inside.place().column == 9);
}

TEST_CASE("ranges are checked and shown") {
  const TomlNode tree = parse_toml("a = 0\nb = 2\n", kFile);
  TomlTable root(tree, kFile, "");
  CHECK(contains(error_of([&] { root.need("a").real(positive()); }), "must be > 0 (got 0)"));
  CHECK(contains(error_of([&] { root.need("b").real(within(0, 1)); }), "must be in [0, 1]"));
  CHECK(contains(error_of([&] { root.need("b").integer(3, 9); }), "[3, 9]"));
  CHECK(root.need("a").real(not_negative()) == 0);
}

TEST_CASE("an unknown key is placed and the nearest asked-for key is suggested") {
  const TomlNode tree = parse_toml("[body]\nradius = 1\nmateral = \"x\"\n", kFile);
  TomlTable root(tree, kFile, "");
  TomlTable body = *root.table("body");
  body.find("radius");
  body.find("material");
  const InputError error = error_of([&] { body.finish(); });
  CHECK(error.place().line == 3);
  CHECK(error.place().column == 1);
  CHECK(error.place().item == "body.materal");
  CHECK(contains(error, "did you mean \"material\"?"));
}

TEST_CASE("a far-off key lists the valid ones, and a misspelt required key is found") {
  const TomlNode tree = parse_toml("raduis = 1\n", kFile);
  TomlTable first(tree, kFile, "");
  CHECK(contains(error_of([&] { first.need("radius"); }), "did you mean \"radius\"?"));
  TomlTable second(tree, kFile, "");
  CHECK(contains(error_of([&] { second.need("velocity"); }), "\"velocity\" is missing"));
  second.find("mass");
  CHECK(contains(error_of([&] { second.finish(); }), "valid here: velocity, mass"));
}

TEST_CASE("the nearest name allows a third of the letters to be wrong") {
  const std::vector<std::string> names = {"friction", "restitution", "radius"};
  CHECK(nearest_name("fricton", names) == "friction");
  CHECK(nearest_name("RADIUS", names) == "radius");
  CHECK(nearest_name("raduis", names) == "radius");  // neighbours swapped: one edit
  CHECK(nearest_name("colour", names).empty());
  CHECK(nearest_name("", names).empty());
}

TEST_CASE("[x] and [[x]] are told apart") {
  const TomlNode tree = parse_toml("[body]\na = 1\n[[run]]\nb = 1\n", kFile);
  TomlTable root(tree, kFile, "");
  CHECK(contains(error_of([&] { root.tables("body"); }), "[[body]]"));
  CHECK(contains(error_of([&] { root.table("run"); }), "[run]"));
}

TEST_CASE("directions of any length come back with length 1, and zero is rejected") {
  const TomlNode tree = parse_toml("a = [0, 0, 1e-200]\nb = [1e200, 0, 0]\nc = [0, 0, 0]\n", kFile);
  TomlTable root(tree, kFile, "");
  CHECK(root.need("a").direction() == Vec3::UnitZ());
  CHECK(root.need("b").direction() == Vec3::UnitX());
  CHECK(contains(error_of([&] { root.need("c").direction(); }), "zero vector"));
}

TEST_CASE("what is not TOML is rejected with its line and column") {
  const InputError error = error_of([] { parse_toml("a = 1\nb = = 2\n", kFile); });
  CHECK(error.place().file == kFile);
  CHECK(error.place().line == 2);
  CHECK(error.place().column == 5);
  CHECK(contains(error, "not valid TOML"));
  CHECK(contains(error_of([] { parse_toml("a = 1\na = 2\n", kFile); }), "a"));
  CHECK(contains(error_of([] { parse_toml(std::string("\x7f\x45LF\0\xff\xfe", 7), kFile); }), "not valid TOML"));
}

TEST_CASE("a header without a key is rejected") {
  for (const char* text : {"[=]", "[.a]", "[#]", "[\n]", "[[=]]", "[\xC3\xA9]", "[", "[[", "[a", "[a.]", "[]"}) {
    INFO(std::string(text));
    CHECK_THROWS_AS(parse_toml(text, kFile), InputError);
  }
}

TEST_CASE("letters beyond ASCII are welcome in quotes and comments, and rejected in bare keys") {
  const TomlNode tree =
      parse_toml("\xEF\xBB\xBFname = \"b\xC3\xA9ton\" # d\xC3\xA9j\xC3\xA0\n\"cl\xC3\xA9\" = 1\n", kFile);
  TomlTable root(tree, kFile, "");
  CHECK(root.need("name").text() == "b\xC3\xA9ton");
  CHECK(root.need("cl\xC3\xA9").integer(0, 1) == 1);
  const InputError error = error_of([] { parse_toml("a = 1\nb = \"\xC3\xA9\" \xC3\xA9 = 2\n", kFile); });
  CHECK(error.place().line == 2);
  CHECK(error.place().column == 9);  // in characters, not bytes
}

TEST_CASE("10 MB of nesting ends in an error, not in a stack overflow") {
  const auto nested = [](const std::string& before, const std::string& part, const std::string& after) {
    std::string text = before;
    while (text.size() < 10'000'000) text += part;
    return text += after;
  };
  CHECK_THROWS_AS(parse_toml(nested("a = ", "[", ""), kFile), InputError);
  CHECK_THROWS_AS(parse_toml(nested("a = ", "{a=", ""), kFile), InputError);
  CHECK_THROWS_AS(parse_toml(nested("", "a.", "a = 1"), kFile), InputError);
  CHECK_THROWS_AS(parse_toml(nested("[", "a.", "a]"), kFile), InputError);
  CHECK_THROWS_AS(parse_toml(nested("", "\"=\".'#'.", "a = 1"), kFile), InputError);
  CHECK_THROWS_AS(parse_toml(nested("s = \"\"\"x\"\"\"\"\"\n", "a.", "a = 1"), kFile), InputError);
}

TEST_CASE("dots in strings, comments and numbers are no nesting") {
  const std::string dots(1000, '.');
  std::string numbers = "n = [";
  for (int i = 0; i < 1000; ++i) numbers += "1.5, ";
  const std::string text = "a = \"" + dots + "\" # " + dots + "\nb = \"\"\"\n" + dots + "\\\"\n\"\"\"\nc = '" + dots +
                           "'\n" + numbers + "]\n";
  const TomlNode tree = parse_toml(text, kFile);
  TomlTable root(tree, kFile, "");
  CHECK(root.need("n").items().size() == 1000);
  CHECK(root.need("a").text() == dots);
}

TEST_CASE("a long value is shortened in messages, never inside a character") {
  std::string word;
  for (int i = 0; i < 100; ++i) word += "\xC3\xA9";
  const TomlNode tree = parse_toml("a = \"" + word + "\"\n", kFile);
  const std::string shown = short_text(std::get<TomlEntries>(tree.value)[0].node);
  CHECK(shown.size() < 80);
  CHECK((shown.size() - 1 - 3) % 2 == 0);  // an opening quote, whole characters, three dots
}
