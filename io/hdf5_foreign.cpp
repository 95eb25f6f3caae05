// Reading what other programs wrote: numbers of any size, texts of either kind.
#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "io/hdf5_foreign_disk.h"
#include "io/hdf5_internal.h"

namespace carom::h5 {

namespace {

// Deflate, the strongest filter in use, makes at most 1032 bytes out of one.
constexpr std::uint64_t kMostFromOneByte = 1032;

// A damaged description of a number (more bits than bytes hold) makes HDF5's conversions write where they should not:
// only types that computers have are let through.
bool is_whole_number(hid_t type) {
  for (const hid_t known : {H5T_STD_I8LE, H5T_STD_I16LE, H5T_STD_I32LE, H5T_STD_I64LE, H5T_STD_U8LE, H5T_STD_U16LE,
                            H5T_STD_U32LE, H5T_STD_U64LE, H5T_STD_I8BE, H5T_STD_I16BE, H5T_STD_I32BE, H5T_STD_I64BE,
                            H5T_STD_U8BE, H5T_STD_U16BE, H5T_STD_U32BE, H5T_STD_U64BE})
    if (H5Tequal(type, known) > 0) return true;
  return false;
}
bool is_real(hid_t type) {
  for (const hid_t known : {H5T_IEEE_F32LE, H5T_IEEE_F64LE, H5T_IEEE_F32BE, H5T_IEEE_F64BE})
    if (H5Tequal(type, known) > 0) return true;
  return false;
}

// Chunks have the dimensions of their dataset and, unless it can grow, do not exceed it. HDF5 would read beyond the end
// of a chunk that is described as larger than it is.
bool has_credible_chunks(hid_t creation, hid_t space) {
  if (H5Pget_layout(creation) != H5D_CHUNKED) return true;
  hsize_t chunk[H5S_MAX_RANK], size[H5S_MAX_RANK], limit[H5S_MAX_RANK];
  const int rank = H5Sget_simple_extent_ndims(space);
  if (rank < 1 || H5Pget_chunk(creation, H5S_MAX_RANK, chunk) != rank) return false;
  if (H5Sget_simple_extent_dims(space, size, limit) != rank) return false;
  for (int k = 0; k < rank; ++k) {
    if (chunk[k] == 0 || chunk[k] > std::max(size[k], limit[k])) return false;
  }
  return true;
}

// Bytes that a dataset's storage can stand for.
std::uint64_t bytes_behind(hid_t dataset, hid_t creation, std::uint64_t size_on_disk) {
  const std::uint64_t stored = H5Dget_storage_size(dataset);
  if (stored > size_on_disk) return 0;
  return H5Pget_nfilters(creation) > 0 ? stored * kMostFromOneByte : stored;
}

}  // namespace

File File::open_foreign(const std::string& path) {
  const Guard guard;
  auto context = std::make_shared<Context>(Context{path, false, {}});
  std::error_code error;
  if (!std::filesystem::exists(path, error)) throw InputError({path, 0, 0, ""}, "no such file");
  if (std::filesystem::is_directory(path, error)) throw InputError({path, 0, 0, ""}, "is a folder, not a file");
  const Handle access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG);
  use_foreign_disk(access.get());
  Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()));
  if (!file.valid()) throw_for(*context, "", "is not a readable HDF5 file");
  return File(std::move(context), std::move(file));
}

template <class T>
std::vector<T> File::read_numbers(const std::string& path, Type wanted) const {
  const Guard guard;
  const Handle dataset(H5Dopen2(handle_.get(), path.c_str(), H5P_DEFAULT));
  if (!dataset.valid()) throw_for(*context_, path, "is missing or damaged");
  const Handle type(H5Dget_type(dataset.get())), space(H5Dget_space(dataset.get()));
  if (!type.valid() || !space.valid()) throw_for(*context_, path, "is damaged");
  const bool real = wanted == Type::Float64;
  if (!is_whole_number(type.get()) && !(real && is_real(type.get())))
    fail(path, real ? "does not hold numbers" : "does not hold whole numbers");
  const Handle creation(H5Dget_create_plist(dataset.get()));
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  if (count < 0 || !creation.valid() || !has_credible_chunks(creation.get(), space.get())) fail(path, "is damaged");
  const std::uint64_t bytes = bytes_behind(dataset.get(), creation.get(), size_on_disk());
  if (static_cast<std::uint64_t>(count) > bytes / H5Tget_size(type.get()))
    fail(path, "claims more numbers than the file holds");
  std::vector<T> values(static_cast<std::size_t>(count));
  const hid_t native = real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64;
  if (count > 0 && H5Dread(dataset.get(), native, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    throw_for(*context_, path, "could not be read");
  return values;
}

std::vector<std::int64_t> File::read_integers(const std::string& path) const {
  return read_numbers<std::int64_t>(path, Type::Int64);
}

std::vector<double> File::read_reals(const std::string& path) const {
  return read_numbers<double>(path, Type::Float64);
}

std::string File::read_foreign_text(const std::string& path) const {
  {
    const Guard guard;
    const Handle dataset(H5Dopen2(handle_.get(), path.c_str(), H5P_DEFAULT));
    const Handle type(dataset.valid() ? H5Dget_type(dataset.get()) : -1);
    if (!type.valid() || H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) != 0) return "";
  }
  return read_text(path);
}

}  // namespace carom::h5
