// The disk under a run file: an HDF5 file driver that keeps the file readable at every instant.
//
// HDF5 orders metadata writes for us (its single-writer mode: a block is written before the block that
// points to it), and with file-space pages of 4096 bytes no small metadata block crosses a page of memory,
// so a killed process leaves each of them either old or new. What HDF5 leaves open, this driver closes:
//
//   superblock   The flags "open for writing" would make other programs refuse a killed file: they never
//                reach the disk. The end-of-file address always lies at or beyond every address in use and
//                never beyond the file's true size: space is reserved (file first, superblock second)
//                before HDF5 may use it, and given back (superblock first, file second) on closing. The
//                superblock is 48 bytes of one page, with a checksum that the driver recomputes.
//   full disk    From the first failed write on, writes go to memory only: the file stays as a kill at that
//                moment would have left it, and HDF5, which is not told, closes in good order.
//   two writers  An advisory lock on the open file, far beyond its data. It ends with the process, and does
//                not hinder readers, whose HDF5 takes another kind of lock.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "io/hdf5.h"

namespace carom::h5 {

inline constexpr std::uint64_t kPageBytes = 4096;

struct Disk {
  int descriptor = -1;
  int error = 0;               // errno of the first failure, after which nothing reaches the file
  bool busy = false;           // another process writes to the file
  bool opened = false;         // set by the owner once HDF5 accepted the file: its end may be moved
  std::uint64_t reserved = 0;  // end-of-file address in the superblock on disk
  std::uint64_t size = 0;      // bytes of the file
  std::array<std::uint8_t, 48> superblock{};
  bool has_superblock = false;
  struct Lost {
    std::uint64_t address;
    std::vector<std::uint8_t> bytes;
  };
  std::vector<Lost> lost;  // writes after the failure, in order; reads see them
};

// Makes a file access property list use the driver; `disk` outlives the file.
void use_disk(Id access_properties, Disk& disk);

// Whether some process holds the writer's lock. False when that cannot be known.
bool is_being_written(const std::string& path);

// For tests: the n-th write or resize from now on fails as on a full disk, whatever the file. n < 0: never.
void fail_after_writes(long n);

// HDF5's metadata checksum: Bob Jenkins' lookup3 hash.
std::uint32_t lookup3(const std::uint8_t* bytes, std::size_t count);

}  // namespace carom::h5
