#!/usr/bin/env bash
# A room sees the rooms below it and no other: includes that point up or sideways do not compile.
# Arguments: C++ compiler, then for each room its name and its include folders joined by ':'
set -uo pipefail
compiler=$1
shift
declare -A folders
while [[ $# -gt 0 ]]; do
  folders[$1]=$2
  shift 2
done

failures=0
# Preprocessing is enough: it is where an include is found or not.
compiles() {  # room, header
  local flags
  IFS=: read -ra flags <<<"${folders[$1]}"
  printf '#include "%s"\n' "$2" | "$compiler" -std=c++20 -fopenmp -E -o /dev/null "${flags[@]/#/-I}" -x c++ - 2>&1
}
must_compile() {
  local output
  output=$(compiles "$1" "$2") || { echo "FAILED: $1 cannot include $2: $output"; failures=$((failures + 1)); }
}
must_not_compile() {
  local output
  if output=$(compiles "$1" "$2"); then
    echo "FAILED: $1 can include $2"
    failures=$((failures + 1))
  elif ! grep -q "$2: No such file" <<<"$output"; then
    echo "FAILED: $1 including $2 failed for another reason: $output"
    failures=$((failures + 1))
  fi
}

must_compile base base/types.h
must_not_compile base solvers/cone.h
must_compile solvers base/types.h
must_compile solvers solvers/problem.h
must_not_compile solvers contact/shape.h
must_not_compile solvers engine/world.h
must_compile contact base/types.h
must_not_compile contact solvers/problem.h
must_not_compile contact engine/world.h
must_compile engine contact/shape.h
must_compile engine solvers/problem.h
must_not_compile engine io/scene.h
must_compile io engine/world.h
must_not_compile io app/command.h
[[ $failures == 0 ]] && echo "each room sees only the rooms below it"
exit $((failures > 0))
