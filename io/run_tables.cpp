#include "io/run_tables.h"

#include <fmt/format.h>

#include "base/error.h"
#include "io/hdf5_disk.h"

namespace carom {

namespace layout = run_layout;

namespace {

std::vector<std::string> phase_names() {
  std::vector<std::string> names;
  for (int k = 0; k < layout::kPhaseCount; ++k) names.emplace_back(name_of(static_cast<StepPhase>(k)));
  return names;
}

std::vector<std::string> solve_status_names() {
  std::vector<std::string> names;
  for (int k = 0; k <= static_cast<int>(SolveStatus::RayTermination); ++k)
    names.emplace_back(name_of(static_cast<SolveStatus>(k)));
  return names;
}

RowTable create_table(h5::File& file, const TableShape& shape) {
  return RowTable::create(file, shape.group, shape.columns, shape.width, shape.expected_rows);
}

std::string first_of(std::span<const layout::Column> columns) {
  return std::string(layout::kDiagnostics) + columns[0].name;
}

std::uint64_t as_rows(std::int64_t n) { return static_cast<std::uint64_t>(n); }

}  // namespace

// ---- Writing ----

std::uint64_t expected_frames(const RunPlan& run, const OutputPlan& output) {
  if (run.steps <= 0) return 0;
  return static_cast<std::uint64_t>(run.steps / std::max<std::int64_t>(1, output.frame_every) + 2);
}

RunTables RunTables::create_at(const std::string& beside, const std::string& path) {
  RunTables tables;
  tables.file = h5::File::create_guarded(beside, path);
  if (h5::is_being_written(path)) throw OutputError(path, "is being written by another process");
  return tables;
}

void RunTables::create(const RunShape& shape, const std::vector<std::string>& contact_status) {
  for (const TableShape& table : shape.frames) frames.push_back(create_table(file, table));
  offsets = RowTable::create(file, layout::kContacts, layout::kOffsetColumns, 1, shape.frames.front().expected_rows);
  contacts = create_table(file, shape.contacts);
  if (!contact_status.empty())
    file.set_attribute(std::string(shape.contacts.group) + "status", "meaning", contact_status);
  if (shape.moments)
    moments = RowTable::create(file, layout::kContacts, layout::kMomentColumns, 1, shape.contacts.expected_rows);
  diagnostics = RowTable::create(file, layout::kDiagnostics, layout::kDiagnosticColumns, 1, shape.steps);
  impacts = RowTable::create(file, layout::kDiagnostics, layout::kImpactColumns, 1, shape.steps);
  joint_diagnostics = RowTable::create(file, layout::kDiagnostics, layout::kJointDiagnosticColumns, 1, shape.steps);
  file.set_attribute(diagnostics.dataset(layout::kPhaseSeconds).path(), "phases", phase_names());
  file.set_attribute(diagnostics.dataset(layout::kSolveStatus).path(), "meaning", solve_status_names());

  if (const std::string status = std::string(layout::kInterfaces) + "status"; file.exists(status))
    file.set_attribute(status, "meaning", std::vector<std::string>{"closed", "hinge", "sliding", "open"});

  counts_ = file.create_dataset(layout::kCounts, h5::Type::Int64, {3});
  file.set_attribute(layout::kCounts, "unit", "1");
  file.set_attribute(layout::kCounts, "meaning", std::vector<std::string>{"frames", "contacts", "steps"});
  file.write_text(layout::kStatus, "running", layout::kStatusCapacity);
  const std::uint64_t chunk = std::clamp<std::uint64_t>(shape.checkpoint_words, 1 << 9, 1 << 19);
  for (std::size_t k = 0; k < 2; ++k)
    slots_[k] = file.create_appendable(layout::kSlots[k], h5::Type::UInt64, {0}, {chunk});
  offsets.append(0, std::int64_t{0});
  offsets.end_rows(1);
  file.start_ordered_writes();
}

void RunTables::open(const std::string& path, const RunShape& shape) {
  file = h5::File::open_guarded(path);
  for (const TableShape& table : shape.frames)
    frames.push_back(RowTable::open(file, table.group, table.columns, table.width));
  offsets = RowTable::open(file, layout::kContacts, layout::kOffsetColumns, 1);
  contacts = RowTable::open(file, shape.contacts.group, shape.contacts.columns, shape.contacts.width);
  diagnostics = RowTable::open(file, layout::kDiagnostics, layout::kDiagnosticColumns, 1);
  if (file.exists(std::string(layout::kContacts) + "moment"))
    moments = RowTable::open(file, layout::kContacts, layout::kMomentColumns, 1);
  if (file.exists(first_of(layout::kImpactColumns)))
    impacts = RowTable::open(file, layout::kDiagnostics, layout::kImpactColumns, 1);
  if (file.exists(first_of(layout::kJointDiagnosticColumns)))
    joint_diagnostics = RowTable::open(file, layout::kDiagnostics, layout::kJointDiagnosticColumns, 1);
  counts_ = file.open_dataset(layout::kCounts, h5::Type::Int64, 1);
  for (std::size_t k = 0; k < 2; ++k) slots_[k] = file.open_dataset(layout::kSlots[k], h5::Type::UInt64, 1);
  file.start_ordered_writes();
}

void RunTables::cut(const RowCounts& rows) {
  // The count first: from here on no reader looks at what is cut away below.
  for (RowTable& table : frames) table.take_rows(as_rows(rows.frames));
  offsets.take_rows(as_rows(rows.frames) + 1);
  contacts.take_rows(as_rows(rows.contacts));
  if (moments) moments->take_rows(as_rows(rows.contacts));
  diagnostics.take_rows(as_rows(rows.steps));
  if (impacts) impacts->take_rows(as_rows(rows.steps));
  if (joint_diagnostics) joint_diagnostics->take_rows(as_rows(rows.steps));
  write_counts();
  set_status("running");
  for (RowTable& table : frames) table.cut(table.rows());
  for (RowTable* table : {&offsets, &contacts, &diagnostics}) table->cut(table->rows());
  if (moments) moments->cut(moments->rows());
  if (impacts) impacts->cut(impacts->rows());
  if (joint_diagnostics) joint_diagnostics->cut(joint_diagnostics->rows());
  file.flush();
}

RowCounts RunTables::rows() const {
  return {static_cast<std::int64_t>(frames.front().rows()), static_cast<std::int64_t>(contacts.rows()),
          static_cast<std::int64_t>(diagnostics.rows())};
}

void RunTables::add_diagnostics(const StepReport& r) {
  const EnergyReport& e = r.energy;
  RowTable& table = diagnostics;
  table.append(layout::kStep, r.step);
  table.append(layout::kTime, r.time);
  table.append(layout::kKinetic, e.kinetic);
  table.append(layout::kPotential, e.potential);
  table.append(layout::kExternalWork, e.external_work);
  table.append(layout::kBoundaryWork, e.boundary_work);
  table.append(layout::kContactWork, e.contact_work);
  table.append(layout::kProjectionWork, e.projection_work);
  table.append(layout::kBalanceError, e.balance_error);
  table.append(layout::kContactCount, std::int32_t{r.contacts});
  table.append(layout::kIslands, std::int32_t{r.islands});
  table.append(layout::kLargestIsland, std::int32_t{r.largest_island});
  table.append(layout::kIterations, std::int32_t{r.iterations});
  table.append(layout::kSolveStatus, static_cast<std::uint8_t>(r.status));
  table.append(layout::kResidualNatural, r.residuals.natural_map);
  table.append(layout::kResidualVelocity, r.residuals.velocity_worst);
  table.append(layout::kWorstPenetration, r.worst_penetration);
  table.append(layout::kPhaseSeconds, r.phase_seconds.seconds.data(), r.phase_seconds.seconds.size());
  table.end_rows(1);
  if (impacts) {
    impacts->append(layout::kImpacts, std::int32_t{r.impacts});
    impacts->append(layout::kFailedImpacts, std::int32_t{r.failed_impacts});
    impacts->end_rows(1);
  }
  if (!joint_diagnostics) return;
  joint_diagnostics->append(layout::kElastic, e.elastic);
  joint_diagnostics->append(layout::kJointWork, e.joint_work);
  joint_diagnostics->append(layout::kWorstJointError, r.worst_joint_error);
  joint_diagnostics->append(layout::kSupportReaction, r.support_reaction.data(), 3);
  joint_diagnostics->append(layout::kBrokenBonds, std::int32_t{r.broken_bonds});
  joint_diagnostics->end_rows(1);
}

void RunTables::end_contacts() {
  offsets.append(0, static_cast<std::int64_t>(contacts.rows()));
  offsets.end_rows(1);
}

std::uint64_t RunTables::buffered_bytes() const {
  std::uint64_t bytes = contacts.buffered_bytes() + diagnostics.buffered_bytes();
  if (moments) bytes += moments->buffered_bytes();
  for (const RowTable& table : frames) bytes += table.buffered_bytes();
  return bytes;
}

void RunTables::write_counts() {
  const RowCounts r = rows();
  const std::int64_t values[] = {r.frames, r.contacts, r.steps};
  counts_.write_rows(0, 3, values);
}

void RunTables::publish_rows() {
  contacts.flush();
  if (moments) moments->flush();
  offsets.flush();
  for (RowTable& table : frames) table.flush();
  diagnostics.flush();
  if (impacts) impacts->flush();
  if (joint_diagnostics) joint_diagnostics->flush();
  file.flush();
  write_counts();
}

void RunTables::write_checkpoint(std::uint64_t sequence, std::span<const std::uint64_t> words) {
  h5::Dataset& slot = slots_[sequence % 2];
  if (slot.rows() < words.size()) slot.resize_rows(words.size());
  slot.write_rows(0, words.size(), words.data());
  file.flush();
}

void RunTables::set_status(const std::string& status) { file.replace_text(layout::kStatus, status); }

// ---- Reading ----

namespace {

std::string kind_of(const std::string& path, const h5::File& file) {
  if (!file.exists(layout::kScene)) throw InputError({path, 0, 0, ""}, "is an HDF5 file, but not a run of carom");
  const std::string format = file.text_attribute(layout::kScene, "format");
  if (format != layout::kFormat)
    file.fail(layout::kScene, fmt::format("has format \"{}\", not a run of carom", format));
  const std::int64_t version = file.integer_attribute(layout::kScene, "format_version");
  if (version != layout::kFormatVersion)
    throw InputError({path, 0, 0, layout::kScene}, fmt::format("has format version {}, this program reads version {}",
                                                               version, layout::kFormatVersion));
  return file.exists(layout::kSystem) ? "system" : "";
}

RowTable open_table(const h5::File& file, const char* group, std::span<const layout::Column> columns,
                    std::uint64_t width, std::uint64_t count) {
  RowTable table = RowTable::open(file, group, columns, width);
  table.check_rows(file, count);
  table.take_rows(count);
  return table;
}

}  // namespace

std::string run_kind(const std::string& path) { return kind_of(path, h5::File::open_for_reading(path)); }

RunView::RunView(const std::string& path_in, const std::string& kind)
    : path(path_in), file(h5::File::open_for_reading(path_in)) {
  if (kind_of(path, file) != kind)
    throw InputError({path, 0, 0, ""}, kind.empty()
                                           ? "is the run of a system in generalized coordinates, not of bodies"
                                           : "is the run of bodies, not of a system in generalized coordinates");
  const h5::Dataset counts = file.open_dataset(layout::kCounts, h5::Type::Int64, 1);
  std::int64_t values[3] = {0, 0, 0};
  if (counts.rows() != 3) file.fail(layout::kCounts, "has an unexpected size");
  counts.read_rows(0, 3, values);
  rows = {values[0], values[1], values[2]};
  const auto limit = static_cast<std::int64_t>(file.size_on_disk());  // every row takes a byte at least
  for (std::int64_t value : values)
    if (value < 0 || value > limit) file.fail(layout::kCounts, fmt::format("holds the impossible count {}", value));
}

// Counts were read first: a living writer's tables only grow beyond them.
void RunView::open_tables(const RunShape& shape) {
  for (const TableShape& table : shape.frames)
    frames.push_back(open_table(file, table.group, table.columns, table.width, as_rows(rows.frames)));
  offsets = open_table(file, layout::kContacts, layout::kOffsetColumns, 1, as_rows(rows.frames) + 1);
  contacts =
      open_table(file, shape.contacts.group, shape.contacts.columns, shape.contacts.width, as_rows(rows.contacts));
  if (file.exists(std::string(layout::kContacts) + "moment"))
    moments = open_table(file, layout::kContacts, layout::kMomentColumns, 1, as_rows(rows.contacts));
  diagnostics = open_table(file, layout::kDiagnostics, layout::kDiagnosticColumns, 1, as_rows(rows.steps));
  if (file.exists(first_of(layout::kImpactColumns)))
    impacts = open_table(file, layout::kDiagnostics, layout::kImpactColumns, 1, as_rows(rows.steps));
  if (file.exists(first_of(layout::kJointDiagnosticColumns)))
    joint_diagnostics = open_table(file, layout::kDiagnostics, layout::kJointDiagnosticColumns, 1, as_rows(rows.steps));
  offsets.read(0, 0, offsets.rows(), offset);
  bool good = offset.front() == 0 && offset.back() <= rows.contacts;
  for (std::size_t i = 1; i < offset.size(); ++i) good = good && offset[i - 1] <= offset[i];
  if (!good) file.fail(std::string(layout::kContacts) + "offset", "does not increase from 0 to the number of contacts");
}

std::uint64_t RunView::check_frame(std::int64_t index) const {
  if (index < 0 || index >= rows.frames)
    throw InputError({path, 0, 0, "/frames"}, fmt::format("there are {} frames, counted from 0", rows.frames),
                     fmt::format("{}", index));
  return as_rows(index);
}

std::pair<std::uint64_t, std::uint64_t> RunView::contact_rows(std::uint64_t frame) const {
  return {as_rows(offset[frame]), as_rows(offset[frame + 1] - offset[frame])};
}

std::vector<std::uint64_t> RunView::read_slot(const char* slot) const {
  const h5::Dataset data = file.open_dataset(slot, h5::Type::UInt64, 1);
  const std::uint64_t stored = std::min(data.storage_bytes(), file.size_on_disk()) / sizeof(std::uint64_t);
  if (data.rows() == 0 || data.rows() > stored) return {};
  std::vector<std::uint64_t> words(data.rows());
  data.read_rows(0, data.rows(), words.data());
  return words;
}

bool RunView::fits(const RowCounts& r) const {
  return r.frames >= 1 && r.frames <= rows.frames && r.contacts >= 0 && r.contacts <= rows.contacts && r.steps >= 0 &&
         r.steps <= rows.steps;
}

RunDiagnostics RunView::read_diagnostics() const {
  const RowTable& table = diagnostics;
  RunDiagnostics d;
  const auto whole = [&](int column, auto& out) { table.read(column, 0, table.rows(), out); };
  whole(layout::kStep, d.step);
  whole(layout::kTime, d.time);
  whole(layout::kKinetic, d.kinetic);
  whole(layout::kPotential, d.potential);
  whole(layout::kExternalWork, d.external_work);
  whole(layout::kBoundaryWork, d.boundary_work);
  whole(layout::kContactWork, d.contact_work);
  whole(layout::kProjectionWork, d.projection_work);
  whole(layout::kBalanceError, d.balance_error);
  whole(layout::kContactCount, d.contacts);
  whole(layout::kIslands, d.islands);
  whole(layout::kLargestIsland, d.largest_island);
  whole(layout::kIterations, d.iterations);
  whole(layout::kResidualNatural, d.residual_natural);
  whole(layout::kResidualVelocity, d.residual_velocity);
  whole(layout::kWorstPenetration, d.worst_penetration);
  std::vector<std::uint8_t> status;
  whole(layout::kSolveStatus, status);
  d.status.assign(status.begin(), status.end());
  d.impacts.resize(table.rows(), 0);
  d.failed_impacts.resize(table.rows(), 0);
  if (impacts) impacts->read(layout::kImpacts, 0, impacts->rows(), d.impacts);
  if (impacts) impacts->read(layout::kFailedImpacts, 0, impacts->rows(), d.failed_impacts);
  for (std::vector<double>* column : {&d.elastic, &d.joint_work, &d.worst_joint_error}) column->resize(table.rows(), 0);
  d.support_reaction.resize(3 * table.rows(), 0);
  d.broken_bonds.resize(table.rows(), 0);
  if (joint_diagnostics) {
    const auto later = [&](int column, auto& out) { joint_diagnostics->read(column, 0, table.rows(), out); };
    later(layout::kElastic, d.elastic);
    later(layout::kJointWork, d.joint_work);
    later(layout::kWorstJointError, d.worst_joint_error);
    later(layout::kSupportReaction, d.support_reaction);
    later(layout::kBrokenBonds, d.broken_bonds);
  }
  std::vector<double> phases;
  whole(layout::kPhaseSeconds, phases);
  d.phase_seconds.resize(table.rows());
  for (std::size_t i = 0; i < d.phase_seconds.size(); ++i)
    std::copy_n(&phases[i * layout::kPhaseCount], layout::kPhaseCount, d.phase_seconds[i].seconds.begin());
  return d;
}

}  // namespace carom
