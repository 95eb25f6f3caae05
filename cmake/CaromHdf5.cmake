# The HDF5 C library as one imported target, carom_hdf5. FindHDF5's own variables name whatever variant was found.
# Included by our build and, installed, by carom-config.cmake: carom_io is static, so its users link HDF5 too.
if(NOT TARGET carom_hdf5)
  set(HDF5_PREFER_PARALLEL OFF)
  find_package(HDF5 1.10 COMPONENTS C)
  if(HDF5_FOUND)
    add_library(carom_hdf5 INTERFACE IMPORTED)
    target_include_directories(carom_hdf5 SYSTEM INTERFACE ${HDF5_C_INCLUDE_DIRS})
    target_link_libraries(carom_hdf5 INTERFACE ${HDF5_C_LIBRARIES})
  endif()
endif()
