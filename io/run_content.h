// What a run file holds of its kind of world: for the two files that instantiate the writer (io/run_writer_impl.h),
// which does all the rest.
#pragma once

#include "io/run_reader.h"
#include "io/run_tables.h"
#include "io/run_writer.h"
#include "io/system_run_reader.h"

namespace carom {

template <class Kind>
struct RunContent;

template <>
struct RunContent<BodyRun> {
  using Reader = RunReader;
  using Record = ContactRecord;
  using State = Checkpoint;

  static constexpr const char* kUnits = "bodies";  // what width() counts
  static RunShape shape(const Scene& scene);
  static std::uint64_t width(const World& world) { return static_cast<std::uint64_t>(world.body_count()); }
  static void write_once(h5::File& file, const Scene& scene);
  static std::vector<std::string> contact_status();  // what the numbers of the contacts' column "status" mean
  static bool needs_contacts(const World& world) { return world.interfaces() != nullptr; }  // to append a state
  static void append_state(RunTables& tables, const World& world, const std::vector<ContactRecord>& contacts);
  static void append(RunTables& tables, const ContactRecord& contact);
  static void write_findings(h5::File& file, const World& world);  // what may change until the end of a run
  static void read_contacts(const World& world, std::vector<ContactRecord>& out);  // of the last step
  // What of a file does not fit the scene that asks to go on with it; "" when all does.
  static std::string difference(const RunReader& file, const Checkpoint& last, const Scene& scene);
  // The file beside the run for viewers, as of the frames so far.
  static void write_view(const std::string& path, const std::vector<double>& frame_times, std::uint64_t bodies);
};

template <>
struct RunContent<SystemRun> {
  using Reader = SystemRunReader;
  using Record = LagrangianContactRecord;
  using State = SystemCheckpoint;

  static constexpr const char* kUnits = "coordinates";
  static RunShape shape(const SystemScene& scene);
  static std::uint64_t width(const LagrangianWorld& world) { return static_cast<std::uint64_t>(world.q().size()); }
  static void write_once(h5::File& file, const SystemScene& scene);
  static std::vector<std::string> contact_status() { return {}; }
  static bool needs_contacts(const LagrangianWorld&) { return false; }
  static void append_state(RunTables& tables, const LagrangianWorld& world,
                           const std::vector<LagrangianContactRecord>& contacts);
  static void write_findings(h5::File&, const LagrangianWorld&) {}
  static void append(RunTables& tables, const LagrangianContactRecord& contact);
  static void read_contacts(const LagrangianWorld& world, std::vector<LagrangianContactRecord>& out);
  static std::string difference(const SystemRunReader& file, const SystemCheckpoint& last, const SystemScene& scene);
  static void write_view(const std::string&, const std::vector<double>&, std::uint64_t) {}
};

}  // namespace carom
