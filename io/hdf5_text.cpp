// Texts and attributes of HDF5 files. Strings have fixed length.
#include <algorithm>

#include "io/hdf5_internal.h"

namespace carom::h5 {

namespace {

Handle text_type(std::size_t length) {
  Handle type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.get(), std::max<std::size_t>(1, length));
  H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  return type;
}

// Texts padded with zeros to the longest, one after the other.
std::vector<char> pack(const std::vector<std::string>& texts, std::size_t length) {
  std::vector<char> bytes(texts.size() * length, '\0');
  for (std::size_t i = 0; i < texts.size(); ++i)
    std::copy(texts[i].begin(), texts[i].end(), bytes.begin() + static_cast<std::ptrdiff_t>(i * length));
  return bytes;
}

std::size_t longest(const std::vector<std::string>& texts) {
  std::size_t length = 1;
  for (const std::string& text : texts) length = std::max(length, text.size());
  return length;
}

std::vector<std::string> unpack(const std::vector<char>& bytes, std::size_t length) {
  std::vector<std::string> texts;
  for (std::size_t at = 0; at + length <= bytes.size(); at += length) {
    std::string text(bytes.data() + at, length);
    text.resize(text.find_last_not_of('\0') + 1);  // npos + 1 is 0
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace

void File::write_text(const std::string& path, const std::string& text, std::size_t capacity) {
  const Guard guard;
  const std::size_t length = std::max({text.size(), capacity, std::size_t{1}});
  const Handle type = text_type(length), space(H5Screate(H5S_SCALAR)), creation = dataset_properties();
  make_groups_above(handle_.get(), path);
  const Handle dataset(
      H5Dcreate2(handle_.get(), path.c_str(), type.get(), space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT));
  const std::vector<char> bytes = pack({text}, length);
  const bool good =
      dataset.valid() && H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) >= 0;
  demand(*context_, good, path, "could not be written");
}

void File::replace_text(const std::string& path, const std::string& text) {
  const Guard guard;
  const Handle dataset(H5Dopen2(handle_.get(), path.c_str(), H5P_DEFAULT));
  if (!dataset.valid()) throw_for(*context_, path, "is missing or damaged");
  const Handle type(H5Dget_type(dataset.get()));
  const std::size_t length = H5Tget_size(type.get());
  const std::vector<char> bytes = pack({text.substr(0, length)}, length);
  const bool good = H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) >= 0;
  demand(*context_, good, path, "could not be written");
}

void File::write_texts(const std::string& path, const std::vector<std::string>& texts) {
  const Guard guard;
  const std::size_t length = longest(texts);
  const hsize_t count = texts.size();
  const Handle type = text_type(length), space(H5Screate_simple(1, &count, nullptr)), creation = dataset_properties();
  make_groups_above(handle_.get(), path);
  const Handle dataset(
      H5Dcreate2(handle_.get(), path.c_str(), type.get(), space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT));
  const std::vector<char> bytes = pack(texts, length);
  bool good = dataset.valid();
  if (good && count > 0) good = H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) >= 0;
  demand(*context_, good, path, "could not be written");
}

std::vector<std::string> File::read_texts(const std::string& path) const {
  const Guard guard;
  const Handle dataset(H5Dopen2(handle_.get(), path.c_str(), H5P_DEFAULT));
  if (!dataset.valid()) throw_for(*context_, path, "is missing or damaged");
  const Handle type(H5Dget_type(dataset.get())), space(H5Dget_space(dataset.get()));
  if (!type.valid() || !space.valid()) throw_for(*context_, path, "is damaged");
  if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) != 0)
    fail(path, "does not hold strings of fixed length");
  const std::size_t length = H5Tget_size(type.get());
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  const std::uint64_t there = H5Dget_storage_size(dataset.get());
  // The sizes are the file's word only; what it really holds bounds the memory taken.
  if (count < 0 || length == 0 || there > size_on_disk() || static_cast<std::uint64_t>(count) > there / length)
    fail(path, "claims more text than the file holds");
  std::vector<char> bytes(static_cast<std::size_t>(count) * length);
  if (count > 0 && H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) < 0)
    throw_for(*context_, path, "could not be read");
  return unpack(bytes, length);
}

std::string File::read_text(const std::string& path) const {
  const std::vector<std::string> texts = read_texts(path);
  if (texts.size() != 1) fail(path, "does not hold one text");
  return texts[0];
}

namespace {

void write_attribute(const Context& context, Id file, const std::string& object, const std::string& name, Id type,
                     Id space, const void* value) {
  const Handle attribute(
      H5Acreate_by_name(file, object.c_str(), name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  const bool good = attribute.valid() && H5Awrite(attribute.get(), type, value) >= 0;
  demand(context, good, object + "@" + name, "could not be written");
}

}  // namespace

void File::set_attribute(const std::string& object, const std::string& name, const std::string& text) {
  const Guard guard;
  const Handle type = text_type(text.size()), space(H5Screate(H5S_SCALAR));
  write_attribute(*context_, handle_.get(), object, name, type.get(), space.get(), text.c_str());
}

void File::set_attribute(const std::string& object, const std::string& name, const std::vector<std::string>& texts) {
  const Guard guard;
  const std::size_t length = longest(texts);
  const hsize_t count = texts.size();
  const Handle type = text_type(length), space(H5Screate_simple(1, &count, nullptr));
  write_attribute(*context_, handle_.get(), object, name, type.get(), space.get(), pack(texts, length).data());
}

void File::set_attribute(const std::string& object, const std::string& name, std::int64_t value) {
  const Guard guard;
  const Handle space(H5Screate(H5S_SCALAR));
  write_attribute(*context_, handle_.get(), object, name, H5T_NATIVE_INT64, space.get(), &value);
}

std::vector<std::string> File::texts_attribute(const std::string& object, const std::string& name) const {
  const Guard guard;
  const Handle attribute(H5Aopen_by_name(handle_.get(), object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT));
  if (!attribute.valid()) throw_for(*context_, object + "@" + name, "is missing");
  const Handle type(H5Aget_type(attribute.get())), space(H5Aget_space(attribute.get()));
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  const std::size_t length = H5Tget_size(type.get());
  // An attribute of an object header holds less than 64 kB.
  if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) != 0 || count < 0 || length == 0 ||
      length > 65536 || static_cast<std::uint64_t>(count) > 65536 / length)
    fail(object + "@" + name, "is not a text");
  std::vector<char> bytes(static_cast<std::size_t>(count) * length);
  if (H5Aread(attribute.get(), type.get(), bytes.data()) < 0)
    throw_for(*context_, object + "@" + name, "could not be read");
  return unpack(bytes, length);
}

std::string File::text_attribute(const std::string& object, const std::string& name) const {
  const std::vector<std::string> texts = texts_attribute(object, name);
  if (texts.size() != 1) fail(object + "@" + name, "is not one text");
  return texts[0];
}

std::int64_t File::integer_attribute(const std::string& object, const std::string& name) const {
  const Guard guard;
  const Handle attribute(H5Aopen_by_name(handle_.get(), object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT));
  if (!attribute.valid()) throw_for(*context_, object + "@" + name, "is missing");
  const Handle type(H5Aget_type(attribute.get())), space(H5Aget_space(attribute.get()));
  if (H5Tget_class(type.get()) != H5T_INTEGER || H5Sget_simple_extent_npoints(space.get()) != 1)
    fail(object + "@" + name, "is not one whole number");
  std::int64_t value = 0;
  if (H5Aread(attribute.get(), H5T_NATIVE_INT64, &value) < 0)
    throw_for(*context_, object + "@" + name, "could not be read");
  return value;
}

}  // namespace carom::h5
