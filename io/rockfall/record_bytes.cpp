#include "io/rockfall/record_bytes.h"

#include <cstring>

namespace carom {

namespace {

using namespace rockfall;

// One visitor for both directions: the layout is written down once.
template <class Archive>
void pass(Archive& a, Vec3& v) {
  for (int k = 0; k < 3; ++k) a(v[k]);
}
template <class Archive>
void pass(Archive& a, TrajectorySummary& s) {
  a(s.number), a(s.release), a(s.kind), a(s.reason), a(s.volume), a(s.mass);
  pass(a, s.start), pass(a, s.end);
  a(s.time), a(s.length), a(s.speed), a(s.translational), a(s.rotational), a(s.height);
  a(s.impacts), a(s.broken_stems), a(s.steps), a(s.unsolved), a(s.created), a(s.worst_gain), a(s.worst_depth);
}
template <class Archive>
void pass(Archive& a, CellVisit& v) {
  a(v.cell), a(v.speed), a(v.translational), a(v.rotational), a(v.height);
}
template <class Archive>
void pass(Archive& a, Crossing& c) {
  a(c.barrier), a(c.time);
  pass(a, c.position), pass(a, c.velocity), pass(a, c.angular_velocity);
  a(c.translational), a(c.rotational), a(c.height);
}
template <class Archive>
void pass(Archive& a, PathPoint& p) {
  a(p.time);
  pass(a, p.position), pass(a, p.velocity), pass(a, p.angular_velocity);
}
template <class Archive, class Item>
void pass(Archive& a, std::vector<Item>& items) {
  auto count = static_cast<std::uint64_t>(items.size());
  a(count);
  if (!a.resize(items, count)) return;
  for (Item& item : items) pass(a, item);
}
template <class Archive>
void pass(Archive& a, TrajectoryRecord& r) {
  pass(a, r.summary), pass(a, r.visits), pass(a, r.crossings), pass(a, r.path);
}

struct Writer {
  std::string& bytes;
  template <class T>
  void operator()(T& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  template <class Items>
  bool resize(Items&, std::uint64_t) {
    return true;
  }
};

struct Reader {
  std::string_view bytes;
  std::size_t at;
  bool whole = true;
  template <class T>
  void operator()(T& value) {
    if (bytes.size() - at < sizeof value) {
      whole = false;
      return;
    }
    std::memcpy(&value, bytes.data() + at, sizeof value);
    at += sizeof value;
  }
  template <class Items>
  bool resize(Items& items, std::uint64_t count) {
    // Every item takes at least a few bytes: more than are left were never written.
    if (!whole || count > bytes.size() - at) return whole = false;
    items.resize(count);
    return true;
  }
};

}  // namespace

void append_record(const TrajectoryRecord& record, std::string& bytes) {
  Writer writer{bytes};
  pass(writer, const_cast<TrajectoryRecord&>(record));  // a writer only reads
}

bool take_record(std::string_view bytes, std::size_t& at, TrajectoryRecord& record) {
  Reader reader{bytes, at};
  record.clear();
  pass(reader, record);
  if (reader.whole) at = reader.at;
  return reader.whole;
}

}  // namespace carom
