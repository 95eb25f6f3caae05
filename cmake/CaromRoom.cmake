# carom_room(name [ROOMS lower rooms] [PACKAGES public] [PRIVATE_PACKAGES private])
#
# A static library carom_<name> (alias carom::<name>) from <name>/**.cpp. Its headers are reached through
# an include folder of its own that holds nothing but a link to the room, so that code sees just the rooms
# its target links.
function(carom_room name)
  cmake_parse_arguments(ROOM "" "" "ROOMS;PACKAGES;PRIVATE_PACKAGES" ${ARGN})
  set(view "${PROJECT_BINARY_DIR}/rooms/${name}")
  file(MAKE_DIRECTORY "${view}")
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/${name}" "${view}/${name}" SYMBOLIC)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${name}/*.cpp")

  add_library(carom_${name} STATIC ${sources})
  add_library(carom::${name} ALIAS carom_${name})
  set_target_properties(carom_${name} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(carom_${name} PUBLIC cxx_std_20)
  target_include_directories(carom_${name} PUBLIC
    $<BUILD_INTERFACE:${view}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/carom>)
  target_link_libraries(carom_${name} PUBLIC ${ROOM_PACKAGES}
    PRIVATE $<BUILD_INTERFACE:carom_settings>)
  # A static library passes its private packages on to the final link: cmake/carom-config.cmake.in finds each again.
  target_link_libraries(carom_${name} PRIVATE ${ROOM_PRIVATE_PACKAGES})
  foreach(lower ${ROOM_ROOMS})
    target_link_libraries(carom_${name} PUBLIC carom_${lower})
  endforeach()

  # Eigen is most of a compile: one precompiled header, made in base, serves every room.
  if(name STREQUAL "base")
    string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
    string(STRIP "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}} -ffp-contract=off" CAROM_COMPILER_FLAGS)
    configure_file("${PROJECT_SOURCE_DIR}/base/version.h.in" "${PROJECT_BINARY_DIR}/generated/base/version.h"
      ESCAPE_QUOTES)
    target_include_directories(carom_base PUBLIC $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>)
    target_precompile_headers(carom_base PRIVATE <Eigen/Core> <Eigen/Geometry> <Eigen/SparseCore> <Eigen/Dense> <vector> <string> <fmt/format.h>)
  else()
    target_precompile_headers(carom_${name} REUSE_FROM carom_base)
  endif()

  install(TARGETS carom_${name} EXPORT carom ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/${name}/" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/carom/${name}
    FILES_MATCHING PATTERN "*.h")
endfunction()
