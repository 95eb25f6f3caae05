#include "io/hdf5.h"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>

#include "base/error.h"
#include "io/hdf5_internal.h"

namespace carom::h5 {

namespace {

std::string innermost_error() {
  std::string text;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned n, const H5E_error2_t* error, void* out) -> herr_t {
        if (n == 0 && error->desc != nullptr) *static_cast<std::string*>(out) = error->desc;
        return 0;
      },
      &text);
  return text;
}

hid_t native(Type type) {
  switch (type) {
    case Type::UInt8:
      return H5T_NATIVE_UINT8;
    case Type::Int32:
      return H5T_NATIVE_INT32;
    case Type::UInt32:
      return H5T_NATIVE_UINT32;
    case Type::Int64:
      return H5T_NATIVE_INT64;
    case Type::UInt64:
      return H5T_NATIVE_UINT64;
    case Type::Float64:
      return H5T_NATIVE_DOUBLE;
  }
  return -1;
}

hid_t stored(Type type) {
  switch (type) {
    case Type::UInt8:
      return H5T_STD_U8LE;
    case Type::Int32:
      return H5T_STD_I32LE;
    case Type::UInt32:
      return H5T_STD_U32LE;
    case Type::Int64:
      return H5T_STD_I64LE;
    case Type::UInt64:
      return H5T_STD_U64LE;
    case Type::Float64:
      return H5T_IEEE_F64LE;
  }
  return -1;
}

bool is_type(hid_t type, Type expected) {
  if (H5Tget_size(type) != size_of(expected)) return false;
  if (expected == Type::Float64) return H5Tget_class(type) == H5T_FLOAT;
  const bool is_signed = expected == Type::Int32 || expected == Type::Int64;
  return H5Tget_class(type) == H5T_INTEGER && H5Tget_sign(type) == (is_signed ? H5T_SGN_2 : H5T_SGN_NONE);
}

Extent extent_of(hid_t space) {
  const int rank = H5Sget_simple_extent_ndims(space);
  if (rank < 0) return {};
  std::vector<hsize_t> sizes(static_cast<std::size_t>(rank));
  if (rank > 0) H5Sget_simple_extent_dims(space, sizes.data(), nullptr);
  return Extent(sizes.begin(), sizes.end());
}

}  // namespace

void throw_for(const Context& context, const std::string& item, std::string problem) {
  if (context.disk.busy) {
    problem = "is being written by another process";
  } else if (context.disk.error != 0) {
    problem = (context.disk.opened ? "could not be written" : problem) + ": " + std::strerror(context.disk.error);
  } else if (const std::string inner = innermost_error(); !inner.empty()) {
    problem += " (" + inner + ")";
  }
  if (context.writing) throw OutputError(context.path, item.empty() ? problem : item + ": " + problem);
  throw InputError({context.path, 0, 0, item}, problem);
}

std::uint64_t size_of(Type type) {
  switch (type) {
    case Type::UInt8:
      return 1;
    case Type::Int32:
    case Type::UInt32:
      return 4;
    case Type::Int64:
    case Type::UInt64:
    case Type::Float64:
      return 8;
  }
  return 0;
}

Handle::~Handle() {
  if (id_ < 0) return;
  const Guard guard;
  if (H5Iis_valid(id_) > 0) H5Idec_ref(id_);
}

// ---- Dataset ----

std::uint64_t Dataset::row_elements() const {
  std::uint64_t count = 1;
  for (std::size_t k = 1; k < extent_.size(); ++k) count *= extent_[k];
  return count;
}

std::uint64_t Dataset::storage_bytes() const {
  const Guard guard;
  return H5Dget_storage_size(handle_.get());
}

void Dataset::transfer(std::uint64_t first, std::uint64_t count, const void* from, void* to) const {
  if (count == 0 || row_elements() == 0) return;
  const Guard guard;
  std::vector<hsize_t> start(extent_.size(), 0), size(extent_.begin(), extent_.end());
  start[0] = first;
  size[0] = count;
  const Handle file_space(H5Dget_space(handle_.get()));
  const Handle memory_space(H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr));
  bool good = H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr) >= 0;
  const hid_t memory = memory_space.get(), disk = file_space.get();
  if (good && from != nullptr)
    good = H5Dwrite(handle_.get(), native(type_), memory, disk, H5P_DEFAULT, from) >= 0;
  else if (good)
    good = H5Dread(handle_.get(), native(type_), memory, disk, H5P_DEFAULT, to) >= 0;
  demand(*context_, good, path_, from != nullptr ? "could not be written" : "could not be read");
}

void Dataset::read_rows(std::uint64_t first, std::uint64_t count, void* out) const {
  transfer(first, count, nullptr, out);
}

void Dataset::write_rows(std::uint64_t first, std::uint64_t count, const void* data) {
  transfer(first, count, data, nullptr);
}

void Dataset::resize_rows(std::uint64_t rows) {
  const Guard guard;
  if (rows == extent_[0]) return;
  std::vector<hsize_t> size(extent_.begin(), extent_.end());
  size[0] = rows;
  demand(*context_, H5Dset_extent(handle_.get(), size.data()) >= 0, path_, "could not be resized");
  extent_[0] = rows;
}

// ---- File: opening and closing ----

File::File(std::shared_ptr<Context> context, Handle handle)
    : context_(std::move(context)), handle_(std::move(handle)) {}

File File::open_for_reading(const std::string& path) {
  const Guard guard;
  auto context = std::make_shared<Context>(Context{path, false, {}});
  std::error_code error;
  if (!std::filesystem::exists(path, error)) throw InputError({path, 0, 0, ""}, "no such file");
  if (std::filesystem::is_directory(path, error)) throw InputError({path, 0, 0, ""}, "is a folder, not a file");
  // A writer at work: HDF5's reading side of ordered writes rereads a block that it met half-written.
  const unsigned live = is_being_written(path) ? H5F_ACC_SWMR_READ : 0u;
  Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY | live, H5P_DEFAULT));
  if (!file.valid()) throw_for(*context, "", "is not a readable HDF5 file");
  return File(std::move(context), std::move(file));
}

File File::create_in_memory(const std::string& shown_as) {
  const Guard guard;
  auto context = std::make_shared<Context>(Context{shown_as, true, {}});
  const Handle access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_fapl_core(access.get(), 1 << 20, false);
  H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG);
  Handle file(H5Fcreate(shown_as.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()));
  if (!file.valid()) throw_for(*context, "", "cannot be created");
  return File(std::move(context), std::move(file));
}

std::string File::image() {
  const Guard guard;
  flush();
  const ssize_t size = H5Fget_file_image(handle_.get(), nullptr, 0);
  std::string bytes(size > 0 ? static_cast<std::size_t>(size) : 0, '\0');
  if (size <= 0 || H5Fget_file_image(handle_.get(), bytes.data(), bytes.size()) != size)
    throw_for(*context_, "", "could not be assembled in memory");
  return bytes;
}

namespace {

Handle guarded_access(Disk& disk) {
  Handle access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG);
  H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_V110);
  use_disk(access.get(), disk);
  return access;
}

}  // namespace

File File::create_guarded(const std::string& path, const std::string& shown_as) {
  const Guard guard;
  auto context = std::make_shared<Context>(Context{shown_as, true, {}});
  const Handle access = guarded_access(context->disk);
  const Handle creation(H5Pcreate(H5P_FILE_CREATE));
  H5Pset_obj_track_times(creation.get(), false);  // of the root group
  H5Pset_file_space_strategy(creation.get(), H5F_FSPACE_STRATEGY_PAGE, false, 1);
  H5Pset_file_space_page_size(creation.get(), kPageBytes);
  Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.get(), access.get()));
  demand(*context, file.valid(), "", "cannot be created");
  context->disk.opened = true;
  return File(std::move(context), std::move(file));
}

File File::open_guarded(const std::string& path) {
  const Guard guard;
  auto context = std::make_shared<Context>(Context{path, true, {}});
  const Handle access = guarded_access(context->disk);
  Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, access.get()));
  demand(*context, file.valid(), "", "cannot be opened for writing");
  context->disk.opened = true;
  return File(std::move(context), std::move(file));
}

void File::start_ordered_writes() {
  const Guard guard;
  demand(*context_, H5Fstart_swmr_write(handle_.get()) >= 0, "", "cannot be prepared for ordered writing");
}

void File::flush() {
  const Guard guard;
  demand(*context_, H5Fflush(handle_.get(), H5F_SCOPE_LOCAL) >= 0, "", "could not be written");
}

void File::close() {
  const Guard guard;
  if (!handle_.valid()) return;
  Handle file = std::move(handle_);
  const bool good = H5Fclose(file.get()) >= 0;
  demand(*context_, good, "", "could not be closed");
}

const std::string& File::path() const { return context_->path; }

std::uint64_t File::size_on_disk() const {
  std::error_code error;
  const auto size = std::filesystem::file_size(context_->path, error);
  return error ? 0 : size;
}

void File::fail(const std::string& item, const std::string& problem) const {
  if (context_->writing) throw OutputError(context_->path, item + ": " + problem);
  throw InputError({context_->path, 0, 0, item}, problem);
}

// ---- File: datasets ----

bool File::exists(const std::string& path) const {
  const Guard guard;
  for (std::size_t at = path.find('/', 1);; at = path.find('/', at + 1)) {  // every group on the way must be there
    const std::string prefix = path.substr(0, at);
    if (H5Lexists(handle_.get(), prefix.c_str(), H5P_DEFAULT) <= 0) return false;
    if (at == std::string::npos) return true;
  }
}

namespace {

Handle timeless(Id kind) {
  Handle properties(H5Pcreate(kind));
  H5Pset_obj_track_times(properties.get(), false);
  return properties;
}

Handle make_group(Id file, const std::string& path) {
  const Handle creation = timeless(H5P_GROUP_CREATE);
  return Handle(H5Gcreate2(file, path.c_str(), H5P_DEFAULT, creation.get(), H5P_DEFAULT));
}

}  // namespace

Handle dataset_properties() { return timeless(H5P_DATASET_CREATE); }

void make_groups_above(Id file, const std::string& path) {
  for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1)) {
    const std::string prefix = path.substr(0, at);
    if (H5Lexists(file, prefix.c_str(), H5P_DEFAULT) <= 0) make_group(file, prefix);
  }
}

void File::create_group(const std::string& path) {
  const Guard guard;
  make_groups_above(handle_.get(), path);
  demand(*context_, make_group(handle_.get(), path).valid(), path, "could not be created");
}

Dataset File::create(const std::string& path, Type type, const Extent& extent, const Extent* chunk) {
  const Guard guard;
  const std::vector<hsize_t> size(extent.begin(), extent.end());
  std::vector<hsize_t> limit = size;
  const Handle creation = dataset_properties();
  const Handle access(H5Pcreate(H5P_DATASET_ACCESS));
  if (chunk != nullptr) {
    limit[0] = H5S_UNLIMITED;
    const std::vector<hsize_t> chunk_size(chunk->begin(), chunk->end());
    H5Pset_chunk(creation.get(), static_cast<int>(chunk_size.size()), chunk_size.data());
    H5Pset_fill_time(creation.get(), H5D_FILL_TIME_NEVER);
    H5Pset_chunk_cache(access.get(), 1, 0, 1.0);  // rows go straight to the file: RowTable buffers
  } else {
    H5Pset_alloc_time(creation.get(), H5D_ALLOC_TIME_EARLY);
  }
  const Handle space(H5Screate_simple(static_cast<int>(size.size()), size.data(), limit.data()));
  Dataset dataset;
  dataset.context_ = context_;
  dataset.path_ = path;
  dataset.type_ = type;
  dataset.extent_ = extent;
  make_groups_above(handle_.get(), path);
  dataset.handle_ = Handle(
      H5Dcreate2(handle_.get(), path.c_str(), stored(type), space.get(), H5P_DEFAULT, creation.get(), access.get()));
  demand(*context_, dataset.handle_.valid(), path, "could not be created");
  return dataset;
}

Dataset File::create_dataset(const std::string& path, Type type, const Extent& extent) {
  return create(path, type, extent, nullptr);
}

Dataset File::create_appendable(const std::string& path, Type type, const Extent& extent, const Extent& chunk) {
  return create(path, type, extent, &chunk);
}

Dataset File::open_dataset(const std::string& path, Type type, int rank) const {
  const Guard guard;
  Dataset dataset;
  dataset.context_ = context_;
  dataset.path_ = path;
  dataset.type_ = type;
  const Handle access(H5Pcreate(H5P_DATASET_ACCESS));
  H5Pset_chunk_cache(access.get(), 1, 0, 1.0);
  dataset.handle_ = Handle(H5Dopen2(handle_.get(), path.c_str(), access.get()));
  if (!dataset.handle_.valid()) throw_for(*context_, path, "is missing or damaged");
  const Handle found(H5Dget_type(dataset.handle_.get())), space(H5Dget_space(dataset.handle_.get()));
  if (!found.valid() || !space.valid()) throw_for(*context_, path, "is damaged");
  if (!is_type(found.get(), type)) fail(path, "has another element type than expected");
  dataset.extent_ = extent_of(space.get());
  if (static_cast<int>(dataset.extent_.size()) != rank)
    fail(path, fmt::format("has {} dimensions instead of {}", dataset.extent_.size(), rank));
  return dataset;
}

}  // namespace carom::h5
