#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <random>

#include "base/error.h"
#include "io/hdf5_disk.h"
#include "io/row_table.h"
#include "io/run_reader.h"
#include "io/run_writer.h"
#include "io/text_file.h"
#include "run_fixture.h"

using namespace carom;
namespace fs = std::filesystem;
namespace layout = run_layout;

namespace {

constexpr std::int64_t kSteps = 120;

// Everything of a run but wall-clock times, compared as bytes, extents included: what any HDF5 program sees.
bool same_rows(const std::string& a, const std::string& b) {
  const h5::File file_a = h5::File::open_for_reading(a), file_b = h5::File::open_for_reading(b);
  const auto bodies = file_a.open_dataset("/bodies/kind", h5::Type::UInt8, 1).rows();
  const auto same_table = [&](const char* group, std::span<const layout::Column> columns) {
    for (const layout::Column& column : columns) {
      if (std::string(column.name) == "phase_seconds") continue;
      const std::string path = std::string(group) + column.name;
      const int rank = static_cast<int>(layout::row_extent(column, bodies).size()) + 1;
      const h5::Dataset x = file_a.open_dataset(path, column.type, rank),
                        y = file_b.open_dataset(path, column.type, rank);
      if (x.extent() != y.extent()) return false;
      std::vector<std::byte> p(x.rows() * x.row_elements() * h5::size_of(column.type)), q(p.size());
      x.read_rows(0, x.rows(), p.data());
      y.read_rows(0, y.rows(), q.data());
      if (p != q) return false;
    }
    return true;
  };
  return same_table(layout::kFrames, layout::kFrameColumns) && same_table(layout::kContacts, layout::kOffsetColumns) &&
         same_table(layout::kContacts, layout::kContactColumns) &&
         same_table(layout::kDiagnostics, layout::kDiagnosticColumns);
}

void step_to(Scene& scene, RunWriter& writer, std::int64_t last, std::int64_t checkpoint_every) {
  while (scene.world.step_count() < last) {
    scene.world.step(scene.run.step);
    writer.add_step(scene.world);
    if (scene.world.step_count() % checkpoint_every == 0) writer.checkpoint(scene.world);
  }
}

void write_whole_run(const std::string& file, std::int64_t last = kSteps) {
  Scene scene = heap_scene(last);
  RunWriter writer = RunWriter::create(file, scene, true);
  step_to(scene, writer, last, 10);
  writer.finish(scene.world, "complete");
}

void resume_to_end(const std::string& file, std::int64_t last = kSteps) {
  Scene scene = heap_scene(last);
  RunWriter writer = RunWriter::resume(file, scene);
  step_to(scene, writer, last, 7);
  writer.finish(scene.world, "complete");
}

// The exit code of `work` in a process of its own, or minus the signal that ended it.
int in_child(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace

TEST_CASE("a run file gives back what the world said, bit for bit") {
  const TemporaryFolder folder;
  const std::string file = folder / "run.h5";
  Scene scene = heap_scene(kSteps);
  std::vector<BodyState> states = {scene.world.state()};
  std::vector<std::vector<ContactRecord>> contacts = {{}};
  std::vector<StepReport> reports;
  {
    RunWriter writer = RunWriter::create(file, scene, false);
    while (scene.world.step_count() < kSteps) {
      reports.push_back(scene.world.step(scene.run.step));
      writer.add_step(scene.world);
      if (scene.world.step_count() % scene.output.frame_every == 0) {
        states.push_back(scene.world.state());
        scene.world.contact_records(contacts.emplace_back());
      }
    }
    writer.finish(scene.world, "complete");
  }
  const RunReader run(file);
  CHECK(run.status() == "complete");
  CHECK_FALSE(run.being_written());
  CHECK(run.scene_text() == scene.text);
  CHECK(run.scene_title() == scene.title);
  REQUIRE(run.attachments().size() == 1);
  CHECK(run.attachments()[0].text == scene.attachments[0].text);
  REQUIRE(run.bodies().size() == static_cast<std::size_t>(scene.world.body_count()));
  CHECK(run.bodies()[1].name == "first");
  CHECK(run.bodies()[1].mass == scene.world.properties().mass[1]);
  CHECK(run.colliders()[1].shape.radius == scene.world.colliders().shape[1].radius);
  CHECK(run.colliders()[1].material == "stone");

  REQUIRE(run.frame_count() == static_cast<std::int64_t>(states.size()));
  std::size_t contact_sum = 0;
  for (std::size_t f = 0; f < states.size(); ++f) {
    const RunFrame frame = run.frame(static_cast<std::int64_t>(f));
    CHECK(frame.step == static_cast<std::int64_t>(f) * scene.output.frame_every);
    for (std::size_t i = 0; i < frame.position.size(); ++i) {
      CHECK(frame.position[i] == states[f].position[i]);
      CHECK(frame.orientation[i].coeffs() == states[f].rotation[i].coeffs());
      CHECK(frame.velocity[i] == states[f].velocity[i]);
      CHECK(frame.angular_velocity[i] == states[f].rotation[i] * states[f].spin[i]);
    }
    const std::vector<ContactRecord> found = run.contacts(static_cast<std::int64_t>(f));
    REQUIRE(found.size() == contacts[f].size());
    contact_sum += found.size();
    for (std::size_t k = 0; k < found.size(); ++k) {
      CHECK(found[k].key == contacts[f][k].key);
      CHECK(found[k].impulse == contacts[f][k].impulse);
      CHECK(found[k].point == contacts[f][k].point);
      CHECK(found[k].status == contacts[f][k].status);
    }
  }
  CHECK(contact_sum > 100);  // otherwise the scene tests nothing

  const RunDiagnostics d = run.diagnostics();
  REQUIRE(d.step.size() == reports.size());
  for (std::size_t i = 0; i < reports.size(); ++i) {
    CHECK(d.step[i] == reports[i].step);
    CHECK(d.kinetic[i] == reports[i].energy.kinetic);
    CHECK(d.iterations[i] == reports[i].iterations);
    CHECK(d.residual_velocity[i] == reports[i].residuals.velocity_worst);
    CHECK(d.phase_seconds[i].seconds == reports[i].phase_seconds.seconds);
  }
  CHECK_THROWS_AS(run.frame(run.frame_count()), InputError);
}

TEST_CASE("a run stopped between frames resumes as if it had never stopped") {
  const TemporaryFolder folder;
  const std::string whole = folder / "whole.h5", stopped = folder / "stopped.h5";
  write_whole_run(whole, kSteps - 1);  // ends between frames, too
  for (const std::int64_t stop : {std::int64_t{0}, std::int64_t{37}, std::int64_t{40}, kSteps - 1}) {
    CAPTURE(stop);
    {
      Scene scene = heap_scene(kSteps - 1);
      RunWriter writer = RunWriter::create(stopped, scene, true);
      step_to(scene, writer, stop, 1000);
      writer.finish(scene.world, "stopped by the user");
    }
    CHECK(RunReader(stopped).status() == "stopped by the user");
    const std::int64_t last_frame = RunReader(stopped).frame_count() - 1;
    CHECK(RunReader(stopped).frame(last_frame).step == stop);
    resume_to_end(stopped, kSteps - 1);
    CHECK(RunReader(stopped).status() == "complete");
    CHECK(same_rows(whole, stopped));
  }
}

TEST_CASE("a run whose writer was destroyed keeps all its rows and resumes") {
  const TemporaryFolder folder;
  const std::string whole = folder / "whole.h5", file = folder / "run.h5";
  write_whole_run(whole);
  {
    Scene scene = heap_scene(kSteps);
    RunWriter writer = RunWriter::create(file, scene, false);
    step_to(scene, writer, 55, 20);
  }
  CHECK(RunReader(file).status() == "running");
  CHECK(RunReader(file).diagnostics().step.size() == 55);
  CHECK(RunReader(file).checkpoint()->step == 40);
  resume_to_end(file);
  CHECK(same_rows(whole, file));
}

TEST_CASE("a writer killed at any moment leaves a file that reads, opens in h5py and resumes") {
  const TemporaryFolder folder;
  const std::string whole = folder / "whole.h5";
  write_whole_run(whole);
  std::mt19937 random(7);
  std::vector<std::string> killed;
  int unfinished = 0;
  for (int round = 0; round < 30; ++round) {
    const std::string file = folder / ("killed" + std::to_string(round) + ".h5");
    const pid_t child = ::fork();
    if (child == 0) {
      Scene scene = heap_scene(kSteps);
      RunWriter writer = RunWriter::create(file, scene, true);
      step_to(scene, writer, kSteps, 2);
      for (;;) writer.checkpoint(scene.world);
    }
    while (!fs::exists(file)) ::usleep(200);
    ::usleep(std::uniform_int_distribution<unsigned>(0, 60000)(random));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    fs::copy_file(file, file + ".copy");
    killed.push_back(file + ".copy");
    CAPTURE(round);
    {
      const RunReader run(file);
      CHECK(run.status() == "running");
      CHECK_FALSE(run.being_written());
      CHECK(run.frame(run.frame_count() - 1).step <= kSteps);
      REQUIRE(run.checkpoint());
      if (run.checkpoint()->step < kSteps) ++unfinished;
    }
    resume_to_end(file);
    CHECK(same_rows(whole, file));
  }
  MESSAGE(unfinished << " of 30 were killed before their last step");
  CHECK(unfinished > 0);

  if (!python_has_h5py()) {
    MESSAGE("skipped: h5py is not installed, plain reading by other programs is not checked");
    return;
  }
  const std::string script =
      "import sys, h5py\n"
      "for name in sys.argv[1:]:\n"
      "  f = h5py.File(name)\n"
      "  frames, contacts, steps = f['counts'][:]\n"
      "  for k in f['frames']: assert len(f['frames'][k][:]) >= frames, k\n"
      "  for k in f['diagnostics']: assert len(f['diagnostics'][k][:]) >= steps, k\n"
      "  for k in f['contacts']: assert k == 'offset' or len(f['contacts'][k][:]) >= contacts, k\n"
      "  assert f['contacts/offset'][frames] == contacts\n"
      "  assert list(f['diagnostics/step'][:steps]) == list(range(1, steps + 1))\n";
  CHECK(run_python(script, killed) == 0);
}

// The same without chance: a failed write freezes the file just as a kill before that write would.
TEST_CASE("a disk that fills up at any write leaves a file that reads and resumes") {
  const TemporaryFolder folder;
  const std::string whole = folder / "whole.h5", file = folder / "run.h5";
  const std::int64_t last = 24;
  write_whole_run(whole, last);
  int failures = 0, unborn = 0;
  std::vector<std::string> copies;
  for (long writes = 0;; writes += writes < 30 ? 6 : 11) {
    CAPTURE(writes);
    fs::remove(file);
    h5::fail_after_writes(writes);
    bool failed = false;
    try {
      Scene scene = heap_scene(last);
      RunWriter writer = RunWriter::create(file, scene, false);
      step_to(scene, writer, last, 3);
      writer.finish(scene.world, "complete");
    } catch (const OutputError& error) {
      failed = true;
      CHECK(error.file() == file);
      CHECK(std::string(error.what()).find("No space left on device") != std::string::npos);
    }
    h5::fail_after_writes(-1);
    if (!failed) break;
    CHECK_FALSE(fs::exists(file + ".part"));
    if (!fs::exists(file)) {
      ++unborn;
      continue;
    }
    ++failures;
    if (RunReader(file).status() == "complete") CHECK(same_rows(whole, file));  // only closing failed
    copies.push_back(folder / ("full" + std::to_string(writes) + ".h5"));
    fs::copy_file(file, copies.back());
    resume_to_end(file, last);
    CHECK(same_rows(whole, file));
  }
  MESSAGE(failures << " files cut short at different writes, " << unborn << " never came to be");
  CHECK(failures > 20);
  CHECK(unborn > 5);
  if (python_has_h5py())
    CHECK(run_python("import sys, h5py\nfor n in sys.argv[1:]: assert h5py.File(n)['counts'][0] > 0\n", copies) == 0);
}

TEST_CASE("a file-size limit ends a run with the file's name, no crash and no word from HDF5") {
  const TemporaryFolder folder;
  const std::string file = folder / "run.h5", words = folder / "stderr.txt";
  std::cout.flush();
  const auto limited = [&](rlim_t bytes) {
    return in_child([&] {
      ::dup2(::open(words.c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600), STDERR_FILENO);
      std::signal(SIGXFSZ, SIG_IGN);
      const rlimit limit = {bytes, bytes};
      if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 77;
      try {
        Scene scene = heap_scene(400);
        RunWriter writer = RunWriter::create(file, scene, true);
        step_to(scene, writer, 100000, 50);  // never gets there
      } catch (const OutputError& error) {
        // The ordinary way out, on which HDF5 closes itself.
        std::exit(error.file() == file && std::string(error.what()).find("File too large") != std::string::npos ? 3
                                                                                                                : 4);
      }
      return 0;
    });
  };
  CHECK(limited(4096) == 3);
  CHECK_FALSE(fs::exists(file));
  CHECK(limited(2 << 20) == 3);
  CHECK(RunReader(file).status() == "running");
  CHECK(RunReader(file).frame_count() > 10);
  CHECK(fs::file_size(words) == 0);
}

TEST_CASE("an output that cannot be written is refused with its name") {
  const TemporaryFolder folder;
  const Scene scene = heap_scene(kSteps);
  const auto message = [&](const std::string& file) -> std::string {
    try {
      RunWriter::create(file, scene, false);
    } catch (const OutputError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(message(folder / "no such folder/run.h5").find("No such file or directory") != std::string::npos);
  CHECK(message(folder / "").find("is not a regular file") != std::string::npos);
  CHECK(message("/dev/null") == "/dev/null: is not a regular file");
  write_text_file(folder / "mine.txt", "precious");
  CHECK(message(folder / "mine.txt").find("exists already") != std::string::npos);
  CHECK(read_text_file(folder / "mine.txt") == "precious");
}

TEST_CASE("a second writer is refused while the first lives, readers are welcome") {
  const TemporaryFolder folder;
  const std::string file = folder / "run.h5";
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    Scene scene = heap_scene(1000000);
    RunWriter writer = RunWriter::create(file, scene, false);
    step_to(scene, writer, 20, 4);
    if (::write(ready[1], "x", 1) != 1) ::_exit(1);
    step_to(scene, writer, 1000000, 4);
  }
  char byte = 0;
  REQUIRE(::read(ready[0], &byte, 1) == 1);
  Scene scene = heap_scene(1000000);
  CHECK_THROWS_WITH_AS(RunWriter::create(file, scene, true), doctest::Contains("is being written by another process"),
                       OutputError);
  CHECK_THROWS_WITH_AS(RunWriter::resume(file, scene), doctest::Contains("is being written by another process"),
                       OutputError);
  std::int64_t frames = 0;
  for (int i = 0; i < 50; ++i) {  // while rows are being added
    const RunReader run(file);
    CHECK(run.being_written());
    CHECK(run.frame_count() >= frames);
    frames = run.frame_count();
    CHECK(run.frame(frames - 1).step == (frames - 1) * scene.output.frame_every);
    CHECK(run.contacts(frames - 1).size() < 100);
  }
  if (python_has_h5py())
    CHECK(run_python("import sys, h5py\nassert h5py.File(sys.argv[1])['counts'][0] > 0\n", {file}) == 0);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  CHECK_NOTHROW(RunWriter::resume(file, scene));
}

TEST_CASE("a scene that is not the file's cannot resume it") {
  const TemporaryFolder folder;
  const std::string file = folder / "run.h5";
  write_whole_run(file, 8);
  Scene other = heap_scene(8);
  other.text += "# changed";
  CHECK_THROWS_WITH_AS(RunWriter::resume(file, other), doctest::Contains("the text differs"), InputError);
  Scene larger = heap_scene(8);
  larger.world.add_sphere(0.1, MaterialId{0}, {.position = Vec3(5, 5, 5)});
  CHECK_THROWS_WITH_AS(RunWriter::resume(file, larger), doctest::Contains("number of bodies differs"), InputError);
}

TEST_CASE("foreign and damaged files are rejected without a crash, a hang or a word from HDF5") {
  const TemporaryFolder folder;
  const std::string file = folder / "run.h5", bad = folder / "bad.h5", words = folder / "stderr.txt";
  CHECK_THROWS_WITH_AS(RunReader(folder / "none.h5"), doctest::Contains("no such file"), InputError);
  CHECK_THROWS_WITH_AS(RunReader(folder / ""), doctest::Contains("is a folder"), InputError);
  write_text_file(bad, "hello");
  CHECK_THROWS_WITH_AS(RunReader{bad}, doctest::Contains("is not a readable HDF5 file"), InputError);
  Scene scene = heap_scene(8);
  CHECK_THROWS_AS(RunWriter::resume(bad, scene), InputError);
  CHECK(read_text_file(bad) == "hello");
  h5::File foreign = h5::File::create_in_memory(bad);
  foreign.create_dataset("/x", h5::Type::Int32, {3});
  write_text_file(bad, foreign.image());
  CHECK_THROWS_WITH_AS(RunReader{bad}, doctest::Contains("not a run of carom"), InputError);

  write_whole_run(file, 24);
  const std::string good = read_text_file(file);
  std::mt19937_64 random(3);
  const int result = in_child([&] {
    ::dup2(::open(words.c_str(), O_CREAT | O_WRONLY, 0600), STDERR_FILENO);
#ifndef __SANITIZE_ADDRESS__  // which needs terabytes of addresses for itself
    const rlimit memory = {rlim_t{1} << 30, rlim_t{1} << 30};
    ::setrlimit(RLIMIT_AS, &memory);
#endif
    ::alarm(60);
    for (int trial = 0; trial < 150; ++trial) {
      std::string bytes = good;
      if (trial % 3 == 0) bytes.resize(random() % bytes.size());
      for (int flips = 0; trial % 3 != 0 && flips < 8; ++flips) {
        const std::size_t limit = trial % 3 == 1 ? 65536 : bytes.size();  // metadata lie mostly in front
        bytes[random() % std::min(limit, bytes.size())] ^= static_cast<char>(1 + random() % 255);
      }
      std::ofstream(bad, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
      try {
        const RunReader run(bad);
        run.bodies();
        run.colliders();
        run.scene_text();
        for (std::int64_t f = 0; f < run.frame_count(); ++f) run.contacts(f), run.frame(f);
        run.diagnostics();
        run.checkpoint();
      } catch (const InputError&) {
      }
    }
    return 0;
  });
  CHECK(result == 0);
  CHECK(fs::file_size(words) == 0);
}
