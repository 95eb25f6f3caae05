// Reading what other programs wrote: numbers of any size, texts of either kind.
#include <filesystem>

#include "base/error.h"
#include "io/hdf5_foreign_disk.h"
#include "io/hdf5_internal.h"

namespace carom::h5 {

namespace {

// Deflate, the strongest filter in use, makes at most 1032 bytes out of one.
constexpr std::uint64_t kMostFromOneByte = 1032;

// Bytes that a dataset's storage can stand for.
std::uint64_t bytes_behind(hid_t dataset, std::uint64_t size_on_disk) {
  const std::uint64_t stored = H5Dget_storage_size(dataset);
  if (stored > size_on_disk) return 0;
  const Handle creation(H5Dget_create_plist(dataset));
  const bool filtered = creation.valid() && H5Pget_nfilters(creation.get()) > 0;
  return filtered ? stored * kMostFromOneByte : stored;
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
  const H5T_class_t kind = H5Tget_class(type.get());
  const bool real = wanted == Type::Float64;
  if (kind != H5T_INTEGER && !(real && kind == H5T_FLOAT))
    fail(path, real ? "does not hold numbers" : "does not hold whole numbers");
  const std::size_t element = H5Tget_size(type.get());
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  if (element == 0 || element > 16 || count < 0) fail(path, "is damaged");
  if (static_cast<std::uint64_t>(count) > bytes_behind(dataset.get(), size_on_disk()) / element)
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

std::string File::read_any_text(const std::string& path) const {
  const Guard guard;
  const Handle dataset(H5Dopen2(handle_.get(), path.c_str(), H5P_DEFAULT));
  if (!dataset.valid()) throw_for(*context_, path, "is missing or damaged");
  const Handle type(H5Dget_type(dataset.get())), space(H5Dget_space(dataset.get()));
  if (!type.valid() || !space.valid()) throw_for(*context_, path, "is damaged");
  if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) <= 0) return read_text(path);
  if (H5Sget_simple_extent_npoints(space.get()) != 1) fail(path, "does not hold one text");
  char* characters = nullptr;
  if (H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, &characters) < 0)
    throw_for(*context_, path, "could not be read");
  std::string text = characters != nullptr ? characters : "";
  H5Dvlen_reclaim(type.get(), space.get(), H5P_DEFAULT, &characters);
  return text;
}

}  // namespace carom::h5
