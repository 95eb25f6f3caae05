# `ninja docs`: the API reference by Doxygen, from the headers' own comments, in build/.../reference/html. Optional.
find_package(Doxygen QUIET)
if(NOT DOXYGEN_FOUND)
  return()
endif()
set(DOXYGEN_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/reference")
set(DOXYGEN_PROJECT_NAME "Carom")
set(DOXYGEN_USE_MDFILE_AS_MAINPAGE "README.md")
set(DOXYGEN_FILE_PATTERNS "*.h" "*.md")
set(DOXYGEN_EXCLUDE_PATTERNS "*_parts.h" "*_impl.h" "*_internal.h")
set(DOXYGEN_STRIP_FROM_PATH "${PROJECT_SOURCE_DIR}")
set(DOXYGEN_EXTRACT_ALL YES)
set(DOXYGEN_SORT_MEMBER_DOCS NO)
set(DOXYGEN_HAVE_DOT NO)
set(DOXYGEN_QUIET YES)
set(DOXYGEN_GENERATE_TREEVIEW YES)
set(DOXYGEN_FILTER_PATTERNS "*.h=\"awk -f '${PROJECT_SOURCE_DIR}/cmake/doxygen_filter.awk'\""
  "*.md=\"sed -e 's/](#[^)]*)/]/g'\"")  # places within a page are found by its headings
set(DOXYGEN_WARN_IF_UNDOCUMENTED NO)
set(DOXYGEN_WARN_LOGFILE "${PROJECT_BINARY_DIR}/reference.warnings")
doxygen_add_docs(docs README.md CONTRIBUTING.md docs base solvers contact engine io WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
  COMMENT "API reference")
