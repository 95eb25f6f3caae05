# cmake --install puts program, libraries, headers and a package in place; another project then says
#
#     find_package(carom REQUIRED)
#     target_link_libraries(mine PRIVATE carom::engine)      # or carom::io for scenes and run files
include(CMakePackageConfigHelpers)

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/carom")
install(FILES "${PROJECT_BINARY_DIR}/generated/base/version.h"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/carom/base")
install(EXPORT carom NAMESPACE carom:: FILE carom-targets.cmake DESTINATION "${package_folder}")

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/carom-config.cmake.in"
  "${PROJECT_BINARY_DIR}/generated/carom-config.cmake" INSTALL_DESTINATION "${package_folder}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/generated/carom-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/generated/carom-config.cmake"
  "${PROJECT_BINARY_DIR}/generated/carom-config-version.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/CaromHdf5.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/CaromSuiteSparse.cmake"
  DESTINATION "${package_folder}")
