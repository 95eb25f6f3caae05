// A scene from text, stepped and written to a run file: what links HDF5 and toml++ through carom::io.
#include <io/run_reader.h>
#include <io/run_writer.h>
#include <io/scene.h>

#include <cstdio>

int main() {
  const char* text = R"(
[run]
step = 1e-3
duration = 0.01

[material.stone]
friction = 0.5

[[body]]
name = "grain"
shape = "sphere"
radius = 0.05
material = "stone"
position = [0, 0, 1]
)";
  carom::Scene scene = carom::parse_scene(text, "grain.toml", ".");
  {
    carom::RunWriter writer = carom::RunWriter::create("grain.h5", scene, true);
    for (int i = 0; i < scene.run.steps; ++i) {
      scene.world.step(scene.run.step);
      writer.add_step(scene.world);
    }
    writer.finish(scene.world, "complete");
  }
  const carom::RunReader run("grain.h5");
  std::printf("%s: %lld frames\n", run.status().c_str(), static_cast<long long>(run.frame_count()));
  return run.status() == "complete" && run.frame_count() > 1 ? 0 : 1;
}
