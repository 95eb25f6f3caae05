#include "io/hdf5_disk.h"

#include <fcntl.h>
#include <hdf5.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstring>

namespace carom::h5 {

namespace {

// ---- The superblock (version 3): signature, version, sizes, flags, four addresses, checksum. ----

constexpr std::array<std::uint8_t, 8> kSignature = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1A, '\n'};
constexpr std::size_t kVersionAt = 8, kFlagsAt = 11, kEndAt = 28, kChecksumAt = 44;
constexpr std::uint64_t kReserveBytes = 1 << 16;

template <class T>
void put_little_endian(std::uint8_t* at, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) at[i] = static_cast<std::uint8_t>(value >> (8 * i));
}

std::uint64_t end_address(const std::uint8_t* superblock) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 8; ++i) value |= std::uint64_t{superblock[kEndAt + i]} << (8 * i);
  return value;
}

bool is_superblock(const std::uint8_t* bytes) {
  return std::equal(kSignature.begin(), kSignature.end(), bytes) && bytes[kVersionAt] == 3;
}

std::atomic<long> writes_left = -1;

// Counts down to the failure that a test asked for.
bool refuses(Disk& disk) {
  if (writes_left < 0 || --writes_left >= 0) return false;
  writes_left = 0;
  disk.error = ENOSPC;
  return true;
}

bool write_all(Disk& disk, std::uint64_t address, std::size_t count, const std::uint8_t* bytes) {
  if (refuses(disk)) return false;
  while (count > 0) {
    const ssize_t done = ::pwrite(disk.descriptor, bytes, count, static_cast<off_t>(address));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) {
      disk.error = done < 0 ? errno : ENOSPC;
      return false;
    }
    bytes += done;
    address += static_cast<std::uint64_t>(done);
    count -= static_cast<std::size_t>(done);
  }
  disk.size = std::max(disk.size, address);
  return true;
}

bool resize_file(Disk& disk, std::uint64_t size) {
  if (refuses(disk)) return false;
  while (::ftruncate(disk.descriptor, static_cast<off_t>(size)) != 0) {
    if (errno == EINTR) continue;
    disk.error = errno;
    return false;
  }
  disk.size = size;
  return true;
}

// The last superblock HDF5 wrote, with clear flags and the reserved end.
bool write_superblock(Disk& disk) {
  if (!disk.has_superblock) return true;
  disk.superblock[kFlagsAt] = 0;
  put_little_endian(&disk.superblock[kEndAt], disk.reserved);
  put_little_endian(&disk.superblock[kChecksumAt], lookup3(disk.superblock.data(), kChecksumAt));
  return write_all(disk, 0, disk.superblock.size(), disk.superblock.data());
}

bool reserve(Disk& disk, std::uint64_t end) {
  if (end <= disk.reserved) return true;
  const std::uint64_t rounded = (end + kReserveBytes - 1) / kReserveBytes * kReserveBytes;
  if (disk.size < rounded && !resize_file(disk, rounded)) return false;
  disk.reserved = rounded;
  return write_superblock(disk);
}

bool give_back(Disk& disk, std::uint64_t end) {
  disk.reserved = end;
  return write_superblock(disk) && resize_file(disk, end);
}

// ---- The lock. ----

struct flock writer_lock() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = off_t{1} << 62;
  lock.l_len = 1;
  return lock;
}

// False when another writer has it. File systems without locks let everybody pass.
bool take_lock(int descriptor) {
  struct flock lock = writer_lock();
  if (::fcntl(descriptor, F_OFD_SETLK, &lock) == 0) return true;
  return errno != EAGAIN && errno != EACCES;
}

// ---- The driver's functions, as HDF5 calls them. ----
//
// A write that fails is never reported to HDF5, whose own paths out of such a failure leave files half closed and
// the library unable to end. The failure stays in Disk::error, and the wrapper looks there after each call.

struct DiskFile {
  H5FD_t common;  // HDF5's own, must be first
  Disk* disk;
  haddr_t end;  // HDF5's end of allocated addresses
};

struct DriverInfo {
  Disk* disk;
};

Disk& disk_of(const H5FD_t* file) { return *reinterpret_cast<const DiskFile*>(file)->disk; }

// Opens, locks, and makes sure that the name still means the locked file: a finished writer may have
// renamed it in between. -1 with disk.error or disk.busy otherwise.
int open_locked(const char* name, int flags, Disk& disk) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    const int descriptor = ::open(name, flags | O_CLOEXEC, 0666);
    if (descriptor < 0) {
      disk.error = errno;
      return -1;
    }
    if (!take_lock(descriptor)) {
      disk.busy = true;
      ::close(descriptor);
      return -1;
    }
    struct stat held {
    }, named{};
    if (::fstat(descriptor, &held) == 0 && ::stat(name, &named) == 0 && held.st_ino == named.st_ino &&
        held.st_dev == named.st_dev)
      return descriptor;
    ::close(descriptor);
  }
  disk.busy = true;
  return -1;
}

H5FD_t* open_disk(const char* name, unsigned flags, hid_t fapl, haddr_t /*maxaddr*/) {
  const auto* info = static_cast<const DriverInfo*>(H5Pget_driver_info(fapl));
  if (info == nullptr) return nullptr;
  Disk& disk = *info->disk;
  const bool fresh = (flags & H5F_ACC_TRUNC) != 0;
  disk.descriptor = open_locked(name, O_RDWR | (fresh ? O_CREAT : 0), disk);
  if (disk.descriptor < 0) return nullptr;

  struct stat status {};
  bool good = ::fstat(disk.descriptor, &status) == 0;
  disk.size = good ? static_cast<std::uint64_t>(status.st_size) : 0;
  if (good && fresh) good = resize_file(disk, 0);
  if (good && !fresh) {  // only files of our own making: others are not touched
    const auto bytes = static_cast<ssize_t>(disk.superblock.size());
    good = ::pread(disk.descriptor, disk.superblock.data(), disk.superblock.size(), 0) == bytes &&
           is_superblock(disk.superblock.data());
    if (!good) errno = EINVAL;
    disk.has_superblock = good;
    disk.reserved = end_address(disk.superblock.data());
  }
  if (!good) {
    if (disk.error == 0) disk.error = errno;
    ::close(disk.descriptor);
    disk.descriptor = -1;
    return nullptr;
  }
  auto* file = new DiskFile{};
  file->disk = &disk;
  return &file->common;
}

herr_t close_disk(H5FD_t* file) {
  Disk& disk = disk_of(file);
  if (disk.error == 0 && disk.opened) give_back(disk, reinterpret_cast<DiskFile*>(file)->end);
  if (::close(disk.descriptor) != 0 && disk.error == 0) disk.error = errno;
  disk.descriptor = -1;
  delete reinterpret_cast<DiskFile*>(file);
  return 0;
}

herr_t query(const H5FD_t* /*file*/, unsigned long* flags) {
  if (flags != nullptr) *flags = H5FD_FEAT_SUPPORTS_SWMR_IO | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t get_end(const H5FD_t* file, H5FD_mem_t /*type*/) { return reinterpret_cast<const DiskFile*>(file)->end; }

herr_t set_end(H5FD_t* file, H5FD_mem_t /*type*/, haddr_t end) {
  reinterpret_cast<DiskFile*>(file)->end = end;
  Disk& disk = disk_of(file);
  if (disk.error == 0) reserve(disk, end);
  return 0;
}

haddr_t get_size(const H5FD_t* file, H5FD_mem_t /*type*/) { return disk_of(file).size; }

herr_t get_handle(H5FD_t* file, hid_t /*fapl*/, void** handle) {
  if (handle == nullptr) return -1;
  *handle = &disk_of(file).descriptor;
  return 0;
}

bool read_file(const Disk& disk, std::uint64_t address, std::size_t count, std::uint8_t* bytes) {
  while (count > 0) {
    const ssize_t done = ::pread(disk.descriptor, bytes, count, static_cast<off_t>(address));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return false;
    if (done == 0) {  // beyond the end: space reserved but never written reads as zero
      std::memset(bytes, 0, count);
      return true;
    }
    bytes += done;
    address += static_cast<std::uint64_t>(done);
    count -= static_cast<std::size_t>(done);
  }
  return true;
}

herr_t read(H5FD_t* file, H5FD_mem_t /*type*/, hid_t /*dxpl*/, haddr_t address, size_t count, void* buffer) {
  const Disk& disk = disk_of(file);
  auto* bytes = static_cast<std::uint8_t*>(buffer);
  if (!read_file(disk, address, count, bytes)) return -1;
  for (const Disk::Lost& lost : disk.lost) {
    const std::uint64_t from = std::max<std::uint64_t>(address, lost.address);
    const std::uint64_t to = std::min<std::uint64_t>(address + count, lost.address + lost.bytes.size());
    if (from < to) std::memcpy(bytes + (from - address), &lost.bytes[from - lost.address], to - from);
  }
  return 0;
}

herr_t write(H5FD_t* file, H5FD_mem_t /*type*/, hid_t /*dxpl*/, haddr_t address, size_t count, const void* buffer) {
  Disk& disk = disk_of(file);
  const auto* bytes = static_cast<const std::uint8_t*>(buffer);
  bool good = disk.error == 0;
  if (good && address == 0 && count == disk.superblock.size() && is_superblock(bytes)) {
    std::copy_n(bytes, count, disk.superblock.begin());
    disk.has_superblock = true;
    good = write_superblock(disk);
  } else if (good) {
    good = write_all(disk, address, count, bytes);
  }
  if (!good) disk.lost.push_back({address, {bytes, bytes + count}});
  return 0;
}

hid_t driver_id() {
  static const H5FD_class_t driver = [] {
    H5FD_class_t d{};
    d.name = "carom_disk";
    d.maxaddr = (haddr_t{1} << 62) - 1;
    d.fc_degree = H5F_CLOSE_STRONG;
    d.fapl_size = sizeof(DriverInfo);
    d.open = open_disk;
    d.close = close_disk;
    d.query = query;
    d.get_eoa = get_end;
    d.set_eoa = set_end;
    d.get_eof = get_size;
    d.get_handle = get_handle;
    d.read = read;
    d.write = write;
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

void use_disk(Id access_properties, Disk& disk) {
  const DriverInfo info{&disk};
  H5Pset_driver(access_properties, driver_id(), &info);
}

void fail_after_writes(long n) { writes_left = n; }

bool is_being_written(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  struct flock lock = writer_lock();
  const bool held = ::fcntl(descriptor, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  ::close(descriptor);
  return held;
}

std::uint32_t lookup3(const std::uint8_t* bytes, std::size_t count) {
  std::uint32_t a = 0xDEADBEEF + static_cast<std::uint32_t>(count), b = a, c = a;
  const auto add_block = [&](std::size_t length) {
    std::uint32_t words[3] = {0, 0, 0};
    for (std::size_t i = 0; i < length; ++i) words[i / 4] |= std::uint32_t{bytes[i]} << (8 * (i % 4));
    a += words[0];
    b += words[1];
    c += words[2];
  };
  for (; count > 12; count -= 12, bytes += 12) {
    add_block(12);
    a = (a - c) ^ std::rotl(c, 4), c += b;
    b = (b - a) ^ std::rotl(a, 6), a += c;
    c = (c - b) ^ std::rotl(b, 8), b += a;
    a = (a - c) ^ std::rotl(c, 16), c += b;
    b = (b - a) ^ std::rotl(a, 19), a += c;
    c = (c - b) ^ std::rotl(b, 4), b += a;
  }
  if (count == 0) return c;
  add_block(count);
  c = (c ^ b) - std::rotl(b, 14);
  a = (a ^ c) - std::rotl(c, 11);
  b = (b ^ a) - std::rotl(a, 25);
  c = (c ^ b) - std::rotl(b, 16);
  a = (a ^ c) - std::rotl(c, 4);
  b = (b ^ a) - std::rotl(a, 14);
  c = (c ^ b) - std::rotl(b, 24);
  return c;
}

}  // namespace carom::h5
