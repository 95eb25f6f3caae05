#include "io/hdf5_foreign_disk.h"

#include <fcntl.h>
#include <hdf5.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace carom::h5 {

namespace {

struct ForeignFile {
  H5FD_t common;  // HDF5's own, must be first
  int descriptor;
  std::uint64_t size;  // bytes of the file
  haddr_t end;         // HDF5's end of allocated addresses
};

ForeignFile& foreign(H5FD_t* file) { return *reinterpret_cast<ForeignFile*>(file); }
const ForeignFile& foreign(const H5FD_t* file) { return *reinterpret_cast<const ForeignFile*>(file); }

H5FD_t* open_file(const char* name, unsigned flags, hid_t /*fapl*/, haddr_t /*maxaddr*/) {
  if ((flags & (H5F_ACC_RDWR | H5F_ACC_TRUNC | H5F_ACC_CREAT)) != 0) return nullptr;
  const int descriptor = ::open(name, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return nullptr;
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(descriptor);
    return nullptr;
  }
  auto* file = new ForeignFile{};
  file->descriptor = descriptor;
  file->size = static_cast<std::uint64_t>(status.st_size);
  return &file->common;
}

herr_t close_file(H5FD_t* file) {
  ::close(foreign(file).descriptor);
  delete &foreign(file);
  return 0;
}

herr_t query(const H5FD_t* /*file*/, unsigned long* flags) {
  if (flags != nullptr) *flags = H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t get_end(const H5FD_t* file, H5FD_mem_t /*type*/) { return foreign(file).end; }
herr_t set_end(H5FD_t* file, H5FD_mem_t /*type*/, haddr_t end) {
  foreign(file).end = end;
  return 0;
}
haddr_t get_size(const H5FD_t* file, H5FD_mem_t /*type*/) { return foreign(file).size; }

herr_t read(H5FD_t* handle, H5FD_mem_t /*type*/, hid_t /*dxpl*/, haddr_t address, size_t count, void* buffer) {
  const ForeignFile& file = foreign(handle);
  if (address > file.size || count > file.size - address) return -1;
  auto* bytes = static_cast<std::uint8_t*>(buffer);
  while (count > 0) {
    const ssize_t done = ::pread(file.descriptor, bytes, count, static_cast<off_t>(address));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return -1;
    bytes += done;
    address += static_cast<std::uint64_t>(done);
    count -= static_cast<std::size_t>(done);
  }
  return 0;
}

herr_t refuse_write(H5FD_t*, H5FD_mem_t, hid_t, haddr_t, size_t, const void*) { return -1; }

hid_t driver_id() {
  static const H5FD_class_t driver = [] {
    H5FD_class_t d{};
    d.name = "carom_foreign";
    d.maxaddr = (haddr_t{1} << 62) - 1;
    d.fc_degree = H5F_CLOSE_STRONG;
    d.open = open_file;
    d.close = close_file;
    d.query = query;
    d.get_eoa = get_end;
    d.set_eoa = set_end;
    d.get_eof = get_size;
    d.read = read;
    d.write = refuse_write;
    const H5FD_mem_t map[] = H5FD_FLMAP_DICHOTOMY;
    std::copy(std::begin(map), std::end(map), std::begin(d.fl_map));
    return d;
  }();
  static hid_t id = H5I_INVALID_HID;
  // A host program may close and reopen the HDF5 library, which forgets its drivers.
  if (id < 0 || H5Iis_valid(id) <= 0) id = H5FDregister(&driver);
  return id;
}

}  // namespace

void use_foreign_disk(Id access_properties) { H5Pset_driver(access_properties, driver_id(), nullptr); }

}  // namespace carom::h5
