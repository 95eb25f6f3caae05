# carom_embed(OUTPUT file TABLE function NAMESPACE_HEADER header ITEMS name=path...)
#
# OUTPUT becomes a C++ file that defines `std::string_view embedded_text(std::string_view name)`: the text of each path
# under its name, "" for a path that does not exist. Built again when a text changes.
function(carom_embed)
  cmake_parse_arguments(EMBED "" "OUTPUT;HEADER" "ITEMS" ${ARGN})
  set(manifest "${EMBED_OUTPUT}.items")
  string(REPLACE ";" "\n" lines "${EMBED_ITEMS}")
  file(CONFIGURE OUTPUT "${manifest}" CONTENT "${lines}\n" @ONLY)
  set(texts "")
  foreach(item ${EMBED_ITEMS})
    string(REGEX REPLACE "^[^=]*=" "" path "${item}")
    if(EXISTS "${path}")
      list(APPEND texts "${path}")
    endif()
  endforeach()
  add_custom_command(OUTPUT "${EMBED_OUTPUT}"
    COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${EMBED_OUTPUT}" "-DMANIFEST=${manifest}" "-DHEADER=${EMBED_HEADER}"
      -P "${PROJECT_SOURCE_DIR}/cmake/EmbedTexts.cmake"
    DEPENDS ${texts} "${manifest}" "${PROJECT_SOURCE_DIR}/cmake/EmbedTexts.cmake"
    COMMENT "Embedding the texts of reports" VERBATIM)
endfunction()
