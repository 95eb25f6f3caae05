# Everything comes from Debian packages; scripts/packages.txt lists them and ./carom installs them.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(fmt 9 REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(tomlplusplus REQUIRED)
find_package(CLI11 REQUIRED)

include(CaromHdf5)
if(NOT TARGET carom_hdf5)
  message(FATAL_ERROR "HDF5 (C library, 1.10 or later) was not found: install libhdf5-dev")
endif()
