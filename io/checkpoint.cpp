#include "io/checkpoint.h"

#include <bit>

#include "base/hash.h"

namespace carom {

namespace {

constexpr std::uint64_t kMagic = 0x43524D43'4B505432;        // "CRMCKPT2"
constexpr std::uint64_t kSystemMagic = 0x43524D43'4B505331;  // "CRMCKPS1"
constexpr std::size_t kHeaderWords = 3;                      // magic, length with checksum, sequence

std::uint64_t checksum(std::span<const std::uint64_t> words) {
  StateHash hash;
  for (std::uint64_t word : words) hash.add(word);
  return hash.value();
}

class Encoder {
 public:
  explicit Encoder(std::vector<std::uint64_t>& words) : words_(words) {}
  void count(std::size_t n) { words_.push_back(n); }
  template <class T>
  bool goes_on_with(const std::vector<T>& list) const {
    return !list.empty();
  }
  void operator()(std::uint64_t x) { words_.push_back(x); }
  void operator()(std::int64_t x) { words_.push_back(static_cast<std::uint64_t>(x)); }
  void operator()(std::uint32_t x) { words_.push_back(x); }
  void operator()(int x) { (*this)(std::int64_t{x}); }
  void operator()(double x) { words_.push_back(std::bit_cast<std::uint64_t>(x)); }
  void operator()(const Vec3& x) {
    for (int k = 0; k < 3; ++k) (*this)(x[k]);
  }
  void operator()(const Quat& x) {
    for (int k = 0; k < 4; ++k) (*this)(x.coeffs()[k]);
  }
  void operator()(ContactStatus x) { words_.push_back(static_cast<std::uint64_t>(x)); }
  template <class T>
  void operator()(const std::vector<T>& list);

 private:
  std::vector<std::uint64_t>& words_;
};

class Decoder {
 public:
  explicit Decoder(std::span<const std::uint64_t> words) : words_(words) {}
  bool good() const { return good_; }
  bool at_end() const { return words_.empty(); }
  template <class T>
  bool goes_on_with(const std::vector<T>&) const {
    return !at_end();
  }

  void operator()(std::uint64_t& x) { x = next(); }
  void operator()(std::int64_t& x) { x = static_cast<std::int64_t>(next()); }
  void operator()(std::uint32_t& x) { x = static_cast<std::uint32_t>(next()); }
  void operator()(int& x) { x = static_cast<int>(static_cast<std::int64_t>(next())); }
  void operator()(double& x) { x = std::bit_cast<double>(next()); }
  void operator()(Vec3& x) {
    for (int k = 0; k < 3; ++k) (*this)(x[k]);
  }
  void operator()(Quat& x) {
    for (int k = 0; k < 4; ++k) (*this)(x.coeffs()[k]);
  }
  void operator()(ContactStatus& x) { x = static_cast<ContactStatus>(next()); }
  template <class T>
  void operator()(std::vector<T>& list);

 private:
  std::uint64_t next() {
    if (words_.empty()) {
      good_ = false;
      return 0;
    }
    const std::uint64_t word = words_.front();
    words_ = words_.subspan(1);
    return word;
  }
  std::span<const std::uint64_t> words_;
  bool good_ = true;
};

// The one list of what a checkpoint holds; `go` reads or writes each field in turn.
template <class Go, class Key>
void visit_key(Go& go, Key& key) {
  go(key.a);
  go(key.b);
  go(key.feature);
}

template <class Go, class Record>
void visit_record(Go& go, Record& c) {
  visit_key(go, c.key);
  go(c.body_a);
  go(c.body_b);
  go(c.point);
  go(c.normal);
  go(c.gap);
  go(c.impulse_world);
  go(c.impulse);
  go(c.velocity);
  go(c.status);
}

template <class Go, class Record>
void visit_system_record(Go& go, Record& c) {
  go(c.contact);
  go(c.gap);
  go(c.impulse);
  go(c.velocity);
}

template <class Go, class Anything>
void visit_item(Go& go, Anything& item) {
  using T = std::remove_const_t<Anything>;
  if constexpr (std::is_same_v<T, ContactKey>)
    visit_key(go, item);
  else if constexpr (std::is_same_v<T, ContactRecord>)
    visit_record(go, item);
  else if constexpr (std::is_same_v<T, LagrangianContactRecord>)
    visit_system_record(go, item);
  else
    go(item);
}

template <class Go, class C>
void visit_checkpoint(Go& go, C& c) {
  go(c.rows.frames);
  go(c.rows.contacts);
  go(c.rows.steps);
  go(c.snapshot.time);
  go(c.snapshot.step);
  go(c.snapshot.last_h);
  go(c.snapshot.bodies.position);
  go(c.snapshot.bodies.rotation);
  go(c.snapshot.bodies.velocity);
  go(c.snapshot.bodies.spin);
  go(c.snapshot.warm_keys);
  go(c.snapshot.warm_impulses);
  go(c.contacts);
  go(c.snapshot.joints);
  go(c.snapshot.broken_bonds);
  go(c.snapshot.bond_impulses);
  go(c.snapshot.interfaces);
  // Runs in which nothing resists rolling end here.
  if (!go.goes_on_with(c.snapshot.warm_moments)) return;
  go(c.snapshot.warm_moments);
  for (auto& contact : c.contacts) go(contact.moment);
}

template <class Go, class C>
void visit_system_checkpoint(Go& go, C& c) {
  go(c.rows.frames);
  go(c.rows.contacts);
  go(c.rows.steps);
  go(c.snapshot.time);
  go(c.snapshot.step);
  go(c.snapshot.q);
  go(c.snapshot.v);
  go(c.snapshot.warm);
  go(c.snapshot.warm_h);
  go(c.contacts);
}

template <class T>
void Encoder::operator()(const std::vector<T>& list) {
  count(list.size());
  for (const T& item : list) visit_item(*this, item);
}

template <class T>
void Decoder::operator()(std::vector<T>& list) {
  const std::uint64_t count = next();
  if (count > words_.size()) {  // every item takes a word at least
    good_ = false;
    return;
  }
  list.resize(static_cast<std::size_t>(count));
  for (T& item : list) visit_item(*this, item);
}

// mark, length, sequence, what `visit` names, checksum
template <class C, class Visit>
std::vector<std::uint64_t> encode(std::uint64_t mark, const C& checkpoint, Visit&& visit) {
  std::vector<std::uint64_t> words = {mark, 0, checkpoint.sequence};
  Encoder encoder(words);
  visit(encoder, checkpoint);
  words[1] = words.size() + 1;
  words.push_back(checksum(words));
  return words;
}

template <class C, class Visit>
std::optional<C> decode(std::uint64_t mark, std::span<const std::uint64_t> words, Visit&& visit) {
  if (words.size() <= kHeaderWords || words[0] != mark || words[1] <= kHeaderWords || words[1] > words.size())
    return {};
  const auto body = words.first(static_cast<std::size_t>(words[1]) - 1);
  if (checksum(body) != words[body.size()]) return {};
  C checkpoint;
  checkpoint.sequence = words[2];
  Decoder decoder(body.subspan(kHeaderWords));
  visit(decoder, checkpoint);
  if (!decoder.good() || !decoder.at_end()) return {};
  return checkpoint;
}

}  // namespace

std::vector<std::uint64_t> encode_checkpoint(const Checkpoint& checkpoint) {
  return encode(kMagic, checkpoint, [](auto& go, auto& c) { visit_checkpoint(go, c); });
}

std::vector<std::uint64_t> encode_checkpoint(const SystemCheckpoint& checkpoint) {
  return encode(kSystemMagic, checkpoint, [](auto& go, auto& c) { visit_system_checkpoint(go, c); });
}

std::optional<Checkpoint> decode_checkpoint(std::span<const std::uint64_t> words) {
  auto checkpoint = decode<Checkpoint>(kMagic, words, [](auto& go, auto& c) { visit_checkpoint(go, c); });
  if (!checkpoint) return {};
  const BodyState& bodies = checkpoint->snapshot.bodies;
  const std::size_t n = bodies.position.size();
  const bool consistent = bodies.rotation.size() == n && bodies.velocity.size() == n && bodies.spin.size() == n;
  return consistent ? std::move(checkpoint) : std::nullopt;
}

std::optional<SystemCheckpoint> decode_system_checkpoint(std::span<const std::uint64_t> words) {
  auto checkpoint =
      decode<SystemCheckpoint>(kSystemMagic, words, [](auto& go, auto& c) { visit_system_checkpoint(go, c); });
  return checkpoint && checkpoint->snapshot.q.size() == checkpoint->snapshot.v.size() ? std::move(checkpoint)
                                                                                      : std::nullopt;
}

}  // namespace carom
