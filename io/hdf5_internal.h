// What hdf5.cpp and hdf5_text.cpp share. Sees HDF5's own header: include it nowhere else.
#pragma once

#include <hdf5.h>

#include <mutex>

#include "io/hdf5_disk.h"

namespace carom::h5 {

static_assert(sizeof(hid_t) == sizeof(Id) && sizeof(hsize_t) == sizeof(std::uint64_t));

struct Context {
  std::string path;  // as messages show it
  bool writing = false;
  Disk disk;  // guarded files only
};

// Around every use of HDF5: one thread at a time, nothing printed, the host's own error printing restored.
class Guard {
 public:
  Guard() : lock_(mutex()) {
    H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Guard() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  static std::recursive_mutex& mutex() {
    static std::recursive_mutex m;
    return m;
  }
  std::lock_guard<std::recursive_mutex> lock_;
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

// Throws what fits the file's direction, with the disk's error or HDF5's innermost message added.
[[noreturn]] void throw_for(const Context& context, const std::string& item, std::string problem);

// After a call that may have written: throws unless both HDF5 and the disk are content.
inline void demand(const Context& context, bool good, const std::string& item, const char* problem) {
  if (!good || context.disk.error != 0) throw_for(context, item, problem);
}

// How datasets and groups are made: without the times of their making, so that equal contents are equal files.
Handle dataset_properties();
// Makes the groups on the way to `path` that are not there.
void make_groups_above(Id file, const std::string& path);

}  // namespace carom::h5
