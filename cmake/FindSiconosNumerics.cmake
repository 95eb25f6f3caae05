# Siconos' numerics as one imported target, siconos_numerics; Debian packages it as libsiconos-numerics-dev. Benchmarks
# put its solvers beside ours; nothing else uses it.
find_path(SICONOS_INCLUDE_DIR SiconosConfig.h PATH_SUFFIXES siconos)
find_library(SICONOS_NUMERICS_LIBRARY siconos_numerics)
mark_as_advanced(SICONOS_INCLUDE_DIR SICONOS_NUMERICS_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SiconosNumerics REQUIRED_VARS SICONOS_NUMERICS_LIBRARY SICONOS_INCLUDE_DIR)

if(SiconosNumerics_FOUND AND NOT TARGET siconos_numerics)
  add_library(siconos_numerics INTERFACE IMPORTED)
  target_include_directories(siconos_numerics SYSTEM INTERFACE "${SICONOS_INCLUDE_DIR}" "${SICONOS_INCLUDE_DIR}/numerics")
  target_link_libraries(siconos_numerics INTERFACE "${SICONOS_NUMERICS_LIBRARY}")
endif()
