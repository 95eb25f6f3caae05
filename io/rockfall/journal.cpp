#include "io/rockfall/journal.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/error.h"
#include "io/rockfall/record_bytes.h"
#include "io/text_file.h"

namespace carom {

namespace {

constexpr char kMagic[16] = "carom rockfall1";

struct Head {
  char magic[16];
  std::uint64_t fingerprint;
};
struct BlockHead {
  std::uint64_t bytes = 0, records = 0, checksum = 0;
};

std::uint64_t checksum_of(std::string_view bytes) {
  std::uint64_t sum = 0xCBF29CE484222325ULL;
  for (const char c : bytes) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  return sum;
}

}  // namespace

Journal::~Journal() { close(); }

void Journal::close() {
  if (stream_ != nullptr) std::fclose(stream_);
  stream_ = nullptr;
}

void Journal::create(const std::string& file, std::uint64_t fingerprint) {
  close();
  file_ = file;
  stream_ = std::fopen(file.c_str(), "wb");
  if (stream_ == nullptr) throw OutputError(file, std::string("cannot be created: ") + std::strerror(errno));
  Head head{};
  std::memcpy(head.magic, kMagic, sizeof kMagic);
  head.fingerprint = fingerprint;
  if (std::fwrite(&head, sizeof head, 1, stream_) != 1 || std::fflush(stream_) != 0)
    throw OutputError(file, std::string("could not be written: ") + std::strerror(errno));
  end_ = sizeof head;
}

void Journal::resume(const std::string& file, std::uint64_t fingerprint,
                     const std::function<void(const rockfall::TrajectoryRecord&)>& take) {
  close();
  file_ = file;
  const std::string bytes = read_text_file(file, std::uintmax_t{1} << 40);
  Head head{};
  if (bytes.size() < sizeof head || std::memcmp(bytes.data(), kMagic, sizeof kMagic) != 0)
    throw InputError({file, 0, 0, ""}, "is no journal of a rockfall study");
  std::memcpy(&head, bytes.data(), sizeof head);
  if (head.fingerprint != fingerprint)
    throw InputError({file, 0, 0, ""},
                     "belongs to another study: its text or one of its files has changed since; "
                     "--overwrite begins anew");
  std::size_t at = sizeof head;
  rockfall::TrajectoryRecord record;
  while (bytes.size() - at >= sizeof(BlockHead)) {
    BlockHead block;
    std::memcpy(&block, bytes.data() + at, sizeof block);
    const std::size_t begin = at + sizeof block;
    if (block.bytes > bytes.size() - begin) break;
    const std::string_view content(bytes.data() + begin, block.bytes);
    if (checksum_of(content) != block.checksum) break;
    std::size_t inside = 0;
    for (std::uint64_t k = 0; k < block.records; ++k) {
      if (!take_record(content, inside, record)) throw InputError({file, 0, 0, ""}, "is damaged");
      take(record);
    }
    at = begin + block.bytes;
  }
  end_ = static_cast<long>(at);
  std::error_code error;
  std::filesystem::resize_file(file, at, error);
  if (error) throw OutputError(file, "cannot be continued: " + error.message());
  stream_ = std::fopen(file.c_str(), "ab");
  if (stream_ == nullptr) throw OutputError(file, std::string("cannot be continued: ") + std::strerror(errno));
}

void Journal::append(const std::vector<rockfall::TrajectoryRecord>& records) {
  bytes_.assign(sizeof(BlockHead), '\0');
  for (const auto& record : records) append_record(record, bytes_);
  const std::string_view content = std::string_view(bytes_).substr(sizeof(BlockHead));
  const BlockHead head{content.size(), records.size(), checksum_of(content)};
  std::memcpy(bytes_.data(), &head, sizeof head);
  errno = 0;
  if (std::fwrite(bytes_.data(), 1, bytes_.size(), stream_) != bytes_.size() || std::fflush(stream_) != 0) {
    const std::string reason = std::strerror(errno);
    close();
    if (::truncate(file_.c_str(), end_) != 0) end_ = 0;  // a torn block is skipped when read
    throw OutputError(file_, "could not be written: " + reason);
  }
  end_ += static_cast<long>(bytes_.size());
}

void Journal::remove() {
  close();
  std::error_code ignored;
  std::filesystem::remove(file_, ignored);
}

}  // namespace carom
