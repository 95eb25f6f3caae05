# Siconos' kernel as one imported target, siconos_kernel; Debian packages it as libsiconos-kernel-dev. A benchmark puts
# its multiple impacts beside ours; nothing else uses it.
find_path(SICONOS_INCLUDE_DIR SiconosConfig.h PATH_SUFFIXES siconos)
find_path(SICONOS_KERNEL_INCLUDE_DIR MultipleImpact.hpp PATH_SUFFIXES siconos/kernel)
find_library(SICONOS_KERNEL_LIBRARY siconos_kernel)
find_library(SICONOS_NUMERICS_LIBRARY siconos_numerics)
find_library(SICONOS_EXTERNALS_LIBRARY siconos_externals)
mark_as_advanced(SICONOS_INCLUDE_DIR SICONOS_KERNEL_INCLUDE_DIR SICONOS_KERNEL_LIBRARY SICONOS_NUMERICS_LIBRARY
  SICONOS_EXTERNALS_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SiconosKernel REQUIRED_VARS SICONOS_KERNEL_LIBRARY SICONOS_NUMERICS_LIBRARY
  SICONOS_EXTERNALS_LIBRARY SICONOS_KERNEL_INCLUDE_DIR SICONOS_INCLUDE_DIR)

if(SiconosKernel_FOUND AND NOT TARGET siconos_kernel)
  add_library(siconos_kernel INTERFACE IMPORTED)
  target_include_directories(siconos_kernel SYSTEM INTERFACE "${SICONOS_INCLUDE_DIR}" "${SICONOS_KERNEL_INCLUDE_DIR}"
    "${SICONOS_INCLUDE_DIR}/numerics")
  target_link_libraries(siconos_kernel INTERFACE "${SICONOS_KERNEL_LIBRARY}" "${SICONOS_NUMERICS_LIBRARY}"
    "${SICONOS_EXTERNALS_LIBRARY}")
endif()
