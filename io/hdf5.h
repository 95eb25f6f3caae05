// A small RAII wrapper over HDF5's C interface: just what run files and problem files need.
//
// Failures throw, naming file and dataset: InputError for files opened for reading, OutputError for files
// being written. HDF5 prints nothing to stderr; its innermost message becomes part of ours. HDF5's own
// header is seen by hdf5*.cpp only.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace carom::h5 {

using Id = std::int64_t;                    // HDF5's hid_t
using Extent = std::vector<std::uint64_t>;  // sizes, slowest dimension first

// Owns one HDF5 identifier.
class Handle {
 public:
  Handle() = default;
  explicit Handle(Id id) : id_(id) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  ~Handle();

  Id get() const { return id_; }
  bool valid() const { return id_ >= 0; }
  void reset() { Handle().swap(*this); }
  void swap(Handle& other) noexcept { std::swap(id_, other.id_); }

 private:
  Id id_ = -1;
};

// Element types, little-endian in files.
enum class Type : std::uint8_t { UInt8, Int32, UInt32, Int64, UInt64, Float64 };
std::uint64_t size_of(Type type);

template <class T>
struct TypeOf;
// clang-format off
template <> struct TypeOf<std::uint8_t>  { static constexpr Type value = Type::UInt8; };
template <> struct TypeOf<std::int32_t>  { static constexpr Type value = Type::Int32; };
template <> struct TypeOf<std::uint32_t> { static constexpr Type value = Type::UInt32; };
template <> struct TypeOf<std::int64_t>  { static constexpr Type value = Type::Int64; };
template <> struct TypeOf<std::uint64_t> { static constexpr Type value = Type::UInt64; };
template <> struct TypeOf<double>        { static constexpr Type value = Type::Float64; };
// clang-format on

struct Context;  // file name, direction and the disk's last word: what messages need

class Dataset {
 public:
  Dataset() = default;

  const std::string& path() const { return path_; }
  Type type() const { return type_; }
  const Extent& extent() const { return extent_; }  // when opened or last resized
  std::uint64_t rows() const { return extent_.front(); }
  std::uint64_t row_elements() const;   // elements of one row
  std::uint64_t storage_bytes() const;  // what the file holds for it, whatever the extent claims

  // Rows [first, first + count) of the first dimension, all of the others.
  void read_rows(std::uint64_t first, std::uint64_t count, void* out) const;
  void write_rows(std::uint64_t first, std::uint64_t count, const void* data);
  void resize_rows(std::uint64_t rows);  // chunked datasets only

 private:
  friend class File;
  void transfer(std::uint64_t first, std::uint64_t count, const void* from, void* to) const;

  std::shared_ptr<Context> context_;
  std::string path_;
  Handle handle_;
  Type type_ = Type::Float64;
  Extent extent_;
};

class File {
 public:
  File() = default;

  static File open_for_reading(const std::string& path);
  // The same through io/hdf5_foreign_disk.h, for files of other programs: damage in them must not crash HDF5.
  static File open_foreign(const std::string& path);
  // A plain file in the oldest format that fits, for other programs to read. It is built in memory; image()
  // is what to write to the disk. Messages speak of `shown_as`.
  static File create_in_memory(const std::string& shown_as);
  std::string image();
  // Through io/hdf5_disk.h: locked against a second writer, and safe against being killed once
  // start_ordered_writes() was called. Messages speak of `shown_as`.
  static File create_guarded(const std::string& path, const std::string& shown_as);
  static File open_guarded(const std::string& path);

  // From here on no object may be created; what is on the disk is a readable file at every instant.
  void start_ordered_writes();
  void flush();
  void close();  // throws OutputError when the last bytes could not be written
  bool is_open() const { return handle_.valid(); }
  const std::string& path() const;

  bool exists(const std::string& path) const;
  void create_group(const std::string& path);
  // Contiguous and allocated at once; its contents are zero until written.
  Dataset create_dataset(const std::string& path, Type type, const Extent& extent);
  // Chunked; rows can be appended without limit.
  Dataset create_appendable(const std::string& path, Type type, const Extent& extent, const Extent& chunk);
  // Throws unless type and number of dimensions are the expected ones.
  Dataset open_dataset(const std::string& path, Type type, int rank) const;

  // For files of other programs: all numbers of a dataset, whatever their size in bytes and its dimensions. An extent
  // is only the file's word: unless the file really holds as much, nothing is allocated and these throw.
  std::vector<std::int64_t> read_integers(const std::string& path) const;
  std::vector<double> read_reals(const std::string& path) const;  // whole numbers too
  // One text of fixed or variable length.
  std::string read_any_text(const std::string& path) const;

  // Strings are stored with fixed length, so that their size is known before anything is allocated.
  void write_text(const std::string& path, const std::string& text, std::size_t capacity = 0);
  void replace_text(const std::string& path, const std::string& text);  // cut to the capacity it was written with
  std::string read_text(const std::string& path) const;
  void write_texts(const std::string& path, const std::vector<std::string>& texts);
  std::vector<std::string> read_texts(const std::string& path) const;
  void set_attribute(const std::string& object, const std::string& name, const std::string& text);
  void set_attribute(const std::string& object, const std::string& name, const std::vector<std::string>& texts);
  void set_attribute(const std::string& object, const std::string& name, std::int64_t value);
  std::string text_attribute(const std::string& object, const std::string& name) const;
  std::vector<std::string> texts_attribute(const std::string& object, const std::string& name) const;
  std::int64_t integer_attribute(const std::string& object, const std::string& name) const;

  // Throws the InputError or OutputError that fits this file.
  [[noreturn]] void fail(const std::string& item, const std::string& problem) const;

  std::uint64_t size_on_disk() const;  // bytes

 private:
  File(std::shared_ptr<Context> context, Handle handle);
  Dataset create(const std::string& path, Type type, const Extent& extent, const Extent* chunk);
  template <class T>
  std::vector<T> read_numbers(const std::string& path, Type type) const;

  std::shared_ptr<Context> context_;
  Handle handle_;
};

}  // namespace carom::h5
