// The three tiers of error, after which a reader knows whose fault it was:
//   InputError      the user's data: names file, place and value        (the program exits with 2)
//   SolveStatus     the numerics: a status in a report, never a throw   (the program exits with 3)
//   InternalError   ours: a CAROM_CHECK that did not hold               (please report it)
#pragma once

#include <stdexcept>
#include <string>

namespace carom {

// Where in the user's data something stands. Empty and zero fields are unknown.
struct Place {
  std::string file;
  int line = 0;      // from 1
  int column = 0;    // from 1
  std::string item;  // key, dataset, body or contact: "body[3].radius"

  std::string text() const;  // "scene.toml:12:5: body[3].radius"
};

class InputError : public std::runtime_error {
 public:
  InputError(Place place, const std::string& problem, std::string value = {});
  explicit InputError(const std::string& problem) : InputError(Place{}, problem) {}

  const Place& place() const { return place_; }
  const std::string& problem() const { return problem_; }
  const std::string& value() const { return value_; }

 private:
  Place place_;
  std::string problem_;
  std::string value_;
};

// A file that cannot be created, written or finished (permissions, full disk). Exit code 3 once a
// run is under way, 2 before it starts.
class OutputError : public std::runtime_error {
 public:
  OutputError(std::string file, const std::string& problem)
      : std::runtime_error(file + ": " + problem), file_(std::move(file)) {}
  const std::string& file() const { return file_; }

 private:
  std::string file_;
};

class InternalError : public std::logic_error {
  using std::logic_error::logic_error;
};

}  // namespace carom
