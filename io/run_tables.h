// What every run file consists of while it grows: tables of frames, contacts and diagnostics, the counts that declare
// rows valid, and two slots for checkpoints. What the rows hold is the writers' business.
#pragma once

#include <memory>
#include <optional>

#include "io/checkpoint.h"
#include "io/row_table.h"
#include "io/run_diagnostics.h"
#include "io/scene.h"

namespace carom {

// Appendable columns under one group; rows of `per_body` columns are `width` times as wide.
struct TableShape {
  const char* group;
  std::span<const run_layout::Column> columns;
  std::uint64_t width = 1;
  std::uint64_t expected_rows = 0;  // 0: unknown
};

struct RunShape {
  std::vector<TableShape> frames;  // one row per frame in each
  TableShape contacts;
  std::uint64_t steps = 0;             // planned
  std::uint64_t checkpoint_words = 0;  // about
  bool moments = false;                // of contacts that resist rolling
};

// Frames that a run as planned will write; 0 when its end is not known.
std::uint64_t expected_frames(const RunPlan& run, const OutputPlan& output);

class RunTables {
 public:
  h5::File file;
  std::vector<RowTable> frames;
  RowTable offsets, contacts, diagnostics;
  std::optional<RowTable> impacts, joint_diagnostics;  // that files of older versions do not have
  std::optional<RowTable> moments;                     // where contacts resist rolling

  // A new file at `beside`, which messages call `path`. What is written once comes next, then create();
  // contact_status: what the numbers of the contacts' column "status" mean, where there is one.
  static RunTables create_at(const std::string& beside, const std::string& path);
  void create(const RunShape& shape, const std::vector<std::string>& contact_status = {});
  // An interrupted file. cut() drops all rows beyond.
  void open(const std::string& path, const RunShape& shape);
  void cut(const RowCounts& rows);

  RowCounts rows() const;
  void add_diagnostics(const StepReport& report);
  void end_contacts();  // of one frame
  std::uint64_t buffered_bytes() const;
  // Rows, then the index that finds them, then the count that declares them valid.
  void publish_rows();
  void write_checkpoint(std::uint64_t sequence, std::span<const std::uint64_t> words);
  void set_status(const std::string& status);

 private:
  void write_counts();

  h5::Dataset counts_;
  std::array<h5::Dataset, 2> slots_;
};

// The same for reading: everything is checked before it is believed.
class RunView {
 public:
  std::string path;
  h5::File file;
  RowCounts rows;
  std::vector<RowTable> frames;
  RowTable offsets, contacts, diagnostics;
  std::optional<RowTable> impacts, joint_diagnostics, moments;
  std::vector<std::int64_t> offset;  // frames + 1

  // Opens the file and reads format and counts; open_tables() comes next. kind: "" or "system".
  RunView(const std::string& path, const std::string& kind);
  void open_tables(const RunShape& shape);
  std::uint64_t check_frame(std::int64_t index) const;                              // throws InputError
  std::pair<std::uint64_t, std::uint64_t> contact_rows(std::uint64_t frame) const;  // first and count
  std::vector<std::uint64_t> read_slot(const char* slot) const;                     // empty when not held by the file
  bool fits(const RowCounts& rows) const;                                           // a checkpoint's counts
  RunDiagnostics read_diagnostics() const;

  // The later of the two checkpoints among those that are whole, fit the file's rows and are `usable`.
  template <class Decode, class Usable>
  auto newest(Decode&& decode, Usable&& usable) const {
    decltype(decode(std::vector<std::uint64_t>{})) best;
    for (const char* slot : run_layout::kSlots) {
      auto found = decode(read_slot(slot));
      if (!found || !fits(found->rows) || !usable(*found)) continue;
      if (!best || found->sequence > best->sequence) best = std::move(found);
    }
    return best;
  }
};

// What a run file is a run of: "" of bodies, "system". Throws InputError when it is none.
std::string run_kind(const std::string& path);

}  // namespace carom
