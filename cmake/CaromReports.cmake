# The pages of `carom report` carry our script and style (io/report/web) and two libraries of Debian, embedded from where
# their packages put them: none of their code is ours to keep. Without them everything else builds, and
# `carom report` says what to install.
set(CAROM_JAVASCRIPT "/usr/share/javascript" CACHE PATH "Folder with three/ and chart.js/")
set(web "${PROJECT_SOURCE_DIR}/io/report/web")
set(three "${CAROM_JAVASCRIPT}/three")
set(chart "${CAROM_JAVASCRIPT}/chart.js")
foreach(text "${three}/three.min.js" "${three}/examples/js/controls/OrbitControls.js" "${chart}/chart.min.js")
  if(NOT EXISTS "${text}")
    message(STATUS "No ${text}: carom report will ask for libjs-three and libjs-chart.js")
  endif()
endforeach()
file(GLOB own_texts CONFIGURE_DEPENDS "${web}/*")
set(items
  "three.js=${three}/three.min.js"
  "three.licence=/usr/share/doc/libjs-three/copyright"
  "orbit.js=${three}/examples/js/controls/OrbitControls.js"
  "chart.js=${chart}/chart.min.js"
  "chart.licence=/usr/share/doc/libjs-chart.js/copyright")
foreach(text ${own_texts})
  get_filename_component(name "${text}" NAME)
  list(APPEND items "${name}=${text}")
endforeach()
carom_embed(OUTPUT "${PROJECT_BINARY_DIR}/generated/embedded_texts.cpp" HEADER "io/report/embedded.h" ITEMS ${items})
target_sources(carom_io PRIVATE "${PROJECT_BINARY_DIR}/generated/embedded_texts.cpp")
