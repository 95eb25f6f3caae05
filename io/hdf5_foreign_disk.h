// The disk under a file that another program wrote: an HDF5 file driver that only reads, and only bytes that are there.
//
// HDF5 (1.10) believes addresses it finds in a file. Its own drivers let it gather metadata in a buffer, into which a
// damaged address then points: a crash. This driver does not offer that buffer, so that every address comes here, and
// one that is not in the file is an error like any other.
#pragma once

#include "io/hdf5.h"

namespace carom::h5 {

// Makes a file access property list use the driver.
void use_foreign_disk(Id access_properties);

}  // namespace carom::h5
