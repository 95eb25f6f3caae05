#!/usr/bin/env bash
# The launchers on machines that lack packages, rights or apt: stand-ins for dpkg-query, id, apt-get and cmake come
# first in the PATH, so that nothing is installed or built here.
# Arguments: source folder, scratch folder
set -uo pipefail
source=$1 scratch=$2
failures=0

fail() {
  echo "FAILED: $1"
  sed 's/^/    /' "$scratch/output"
  failures=$((failures + 1))
}
expect_code() { [[ $code == "$1" ]] || fail "$2: exit code $code instead of $1"; }
expect_text() { grep -qF -- "$1" "$scratch/output" || fail "$2: does not say \"$1\""; }
expect_no_text() { ! grep -qF -- "$1" "$scratch/output" || fail "$2: says \"$1\""; }

# A machine: a copy of the launchers and a folder of stand-ins in front of the PATH.
new_machine() {
  rm -rf "$scratch"
  mkdir -p "$scratch/repository/.ci" "$scratch/bin"
  cp -r "$source/carom" "$source/check" "$source/scripts" "$source/CMakePresets.json" "$scratch/repository/"
  cp "$source/.ci/run" "$scratch/repository/.ci/run"
}
stand_in() {  # name, script
  printf '#!/usr/bin/env bash\n%s\n' "$2" >"$scratch/bin/$1"
  chmod +x "$scratch/bin/$1"
}
call() {
  (cd "$scratch" && env -u CAROM_SKIP_PACKAGES PATH="$scratch/bin:$PATH" "$@" >"$scratch/output" 2>&1 </dev/null)
  code=$?
}
installed_but() {  # a dpkg-query that knows every package but these
  stand_in dpkg-query 'for name in "${@:4}"; do case $name in '"$1"') ;; *) echo "$name installed";; esac; done'
}
working_build() {
  stand_in cmake 'tree=; while [[ $# -gt 0 ]]; do [[ $1 == -B ]] && tree=$2; shift; done; mkdir -p "$tree"; touch "$tree/build.ninja"
printf "CMAKE_HOME_DIRECTORY:INTERNAL=%s\nCMAKE_CACHEFILE_DIR:INTERNAL=%s\nCAROM_WERROR:BOOL=ON\n" "$PWD" "$tree" >"$tree/CMakeCache.txt"; echo configure >>"'"$scratch"'/calls"'
  stand_in ninja 'printf "#!/bin/sh\necho program: \$PWD \$*\nexit 7\n" >"$2/carom"; chmod +x "$2/carom"; echo build >>"'"$scratch"'/calls"'
  stand_in ctest 'echo "100% tests passed: $*"; exit 5'
}

new_machine
installed_but 'ninja-build|libfmt-dev'
stand_in id 'echo 1000'
stand_in sudo 'exit 1'
call repository/carom run x.toml
expect_code 2 "no rights"
expect_text "sudo apt-get install -y --no-install-recommends libfmt-dev ninja-build" "no rights"
expect_no_text "CMake" "no rights"

new_machine
installed_but 'ninja-build'
stand_in id 'echo 0'
stand_in apt-get 'echo "$*" >>"'"$scratch"'/calls"; [[ $1 == update ]] || { echo "E: Unable to locate package"; exit 100; }'
call repository/carom
expect_code 2 "apt fails"
expect_text "installing from Debian: ninja-build" "apt fails"
expect_text "E: Unable to locate package" "apt fails"
expect_text "sudo apt-get install -y --no-install-recommends ninja-build" "apt fails"

new_machine
installed_but 'ninja-build'
stand_in id 'echo 0'
stand_in apt-get 'echo "$*" >>"'"$scratch"'/calls"'
working_build
call repository/carom run "a b.toml"
expect_code 7 "installs, builds and runs"
expect_text "installing from Debian: ninja-build" "installs, builds and runs"
expect_text "program: $scratch run a b.toml" "runs in the caller's folder"
grep -q -- "install -y --no-install-recommends ninja-build" "$scratch/calls" || fail "apt-get was not asked to install"

new_machine
installed_but 'none'
working_build
call repository/carom --version
call repository/carom --version
expect_code 7 "second call"
expect_no_text "configuring" "second call"
[[ $(grep -c configure "$scratch/calls") == 1 ]] || fail "the second call configured again"
sed -i 's|^CMAKE_HOME_DIRECTORY.*|CMAKE_HOME_DIRECTORY:INTERNAL=/elsewhere|' "$scratch/repository/build/release/CMakeCache.txt"
call repository/carom --version
expect_code 7 "copied build folder"
expect_text "making it anew" "copied build folder"

new_machine
installed_but 'none'
working_build
stand_in ninja 'echo "[1/2] compiling"; echo "x.cpp:1: error: no such thing"; exit 1'
call repository/carom
expect_code 2 "broken build"
expect_text "error: no such thing" "broken build"
stand_in cmake 'echo "CMake Error: nothing works"; exit 1'
rm -rf "$scratch/repository/build"
call repository/carom
expect_code 2 "broken configuration"
expect_text "CMake Error: nothing works" "broken configuration"

new_machine
installed_but 'python3-h5py'
stand_in id 'echo 1000'
stand_in sudo 'exit 1'
working_build
call repository/check cone nsgs
expect_code 5 "check"
expect_text "without python3-h5py some tests will be skipped" "check"
expect_text "-R cone|nsgs" "check filters"
call repository/.ci/run
expect_code 5 ".ci/run"
[[ $(tail -n 1 "$scratch/output") == "100% tests passed"* ]] || fail ".ci/run does not end with ctest's words"
call repository/check --wrong
expect_code 2 "check with an unknown option"

[[ $failures == 0 ]] && echo "the launchers behave on every machine tried" && rm -rf "$scratch"
exit $((failures > 0))
