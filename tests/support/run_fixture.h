// What the tests of run files share: a small scene with contacts, a folder of their own, and Python.
#pragma once

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "io/scene.h"

// A few rough spheres thrown onto a half-space and onto each other; frames every fourth step.
inline carom::Scene heap_scene(std::int64_t steps, double rolling_friction = 0) {
  using namespace carom;
  Scene scene;
  scene.name = "heap";
  scene.title = "a heap, \"thrown\"";
  scene.text = "# not parsed by these tests\n";
  scene.attachments = {{"table.csv", "0,0\n1,2\n"}};
  scene.run.step = 2e-3;
  scene.run.steps = steps;
  scene.output.frame_every = 4;
  World& world = scene.world;
  const MaterialId stone = world.add_material(
      {.name = "stone", .friction = 0.6, .restitution = 0.2, .rolling_friction = rolling_friction});
  world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), stone);
  for (int i = 0; i < 8; ++i) {
    BodySpec body;
    body.name = i == 0 ? "first" : "";
    body.group = i < 4 ? "low" : "high";
    body.pose.position = Vec3(0.15 * (i % 2), 0.04 * (i % 3), 0.12 + 0.21 * (i / 2));
    body.velocity = Vec3(0.1 * i, -0.05 * i, -1);
    body.angular_velocity = Vec3(1, i, -2);
    body.colliders = {{Shape::sphere(0.1), stone, {}}};
    world.add_body(body);
  }
  return scene;
}

// Removed with all its contents at the end of the scope.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "carom_test_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

// Exit code of /usr/bin/python3 -c script arguments...
inline int run_python(const std::string& script, const std::vector<std::string>& arguments) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::vector<const char*> words = {"python3", "-c", script.c_str()};
    for (const std::string& word : arguments) words.push_back(word.c_str());
    words.push_back(nullptr);
    ::execv("/usr/bin/python3", const_cast<char* const*>(words.data()));
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// What work() returns when a child process with so many bytes of memory and seconds does it; minus the signal that
// ended it otherwise.
template <class Work>
int run_in_limits(rlim_t bytes, unsigned seconds, Work&& work) {
  const pid_t child = ::fork();
  if (child == 0) {
#ifndef __SANITIZE_ADDRESS__  // which needs terabytes of addresses for itself
    const rlimit memory = {bytes, bytes};
    ::setrlimit(RLIMIT_AS, &memory);
#endif
    ::alarm(seconds);
    ::_exit(work());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

inline bool python_has_h5py() {
  return run_python("import importlib.util, sys; sys.exit(importlib.util.find_spec('h5py') is None)", {}) == 0;
}
