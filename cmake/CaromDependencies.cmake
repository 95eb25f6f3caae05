# Everything comes from Debian packages; scripts/packages.txt lists them and ./carom installs them.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(fmt 9 REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(tomlplusplus REQUIRED)
find_package(CLI11 REQUIRED)

# HDF5's own CMake variables name whatever variant is found; one imported target hides that.
set(HDF5_PREFER_PARALLEL OFF)
find_package(HDF5 1.10 REQUIRED COMPONENTS C)
add_library(carom_hdf5 INTERFACE)
target_include_directories(carom_hdf5 SYSTEM INTERFACE ${HDF5_C_INCLUDE_DIRS})
target_link_libraries(carom_hdf5 INTERFACE ${HDF5_C_LIBRARIES})
