// Whatever is done to a scene's text: it reads, or it is rejected with an InputError.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "base/random.h"
#include "io/text_file.h"
#include "scene_text.h"

using namespace carom;

namespace {

std::vector<std::string> example_texts() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(CAROM_SOURCE_DIR "/examples"))
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> texts;
  for (const auto& file : files) texts.push_back(read_text_file(file));
  return texts;
}

// One random change: a character, a cut, a copy, a value that is likely to hurt, or a line in another place.
void mutate(std::string& text, RandomStream& random) {
  static const std::vector<std::string> nasty = {"nan", "-inf", "0",  "-1", "1e308",   "1e-308", "\"\"", "[]",
                                                 "{}",  "true", "[[", "]]", "=",       ".",      "\"",   "'''",
                                                 "\\u", "\xff", "\n", "99", "[0,0,0]", "# "};
  const auto somewhere = [&] { return static_cast<std::size_t>(random.below(text.size() + 1)); };
  const std::size_t at = somewhere();
  const std::size_t length = std::min<std::size_t>(random.below(30), text.size() - at);
  switch (random.below(6)) {
    case 0:
      if (at < text.size()) text[at] = static_cast<char>(random.below(256));
      break;
    case 1:
      text.erase(at, length);
      break;
    case 2:
      text.insert(somewhere(), text.substr(at, length));
      break;
    case 3:
      text.insert(at, nasty[random.below(nasty.size())]);
      break;
    case 4: {  // the value after the next '='
      const std::size_t equals = text.find('=', at);
      if (equals == std::string::npos) break;
      const std::size_t end = std::min(text.find('\n', equals), text.size());
      text.replace(equals + 1, end - equals - 1, " " + nasty[random.below(nasty.size())]);
      break;
    }
    default: {  // swap two lines
      const std::size_t begin = text.find('\n', at);
      if (begin == std::string::npos) break;
      const std::size_t end = text.find('\n', begin + 1);
      if (end == std::string::npos) break;
      const std::string line = text.substr(begin, end - begin);
      text.erase(begin, end - begin);
      const std::size_t target = text.find('\n', somewhere());
      text.insert(target == std::string::npos ? text.size() : target, line);
    }
  }
}

}  // namespace

TEST_CASE("2,000 mutated examples either read or are rejected with an InputError") {
  const std::vector<std::string> texts = example_texts();
  REQUIRE_FALSE(texts.empty());
  int accepted = 0, rejected = 0;
  for (std::uint64_t trial = 0; trial < 2000; ++trial) {
    RandomStream random(2024, trial);
    std::string text = texts[trial % texts.size()];
    const std::uint64_t changes = 1 + random.below(4);
    for (std::uint64_t k = 0; k < changes; ++k) mutate(text, random);
    try {
      scene_of(text);
      ++accepted;
    } catch (const InputError& error) {
      ++rejected;
      CHECK_FALSE(error.problem().empty());
    } catch (const std::exception& error) {
      FAIL("trial " << trial << " threw something else: " << error.what() << "\n" << text);
    }
  }
  CHECK(accepted > 100);
  CHECK(rejected > 500);
}
