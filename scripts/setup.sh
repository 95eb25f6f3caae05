# shellcheck shell=bash disable=SC2154
# The set-up that ./carom and ./check share; sourced by them with `root` and `program` set.
# Everything it says goes to standard error, so that standard output belongs to the program.

say() { printf '%s: %s\n' "$program" "$*" >&2; }
die() {
  say "$@"
  exit 2
}

packages_in() { sed -e 's/#.*//' -e 's/[[:space:]]//g' -e '/^$/d' "$1"; }

# The packages of a list that dpkg does not know as installed, on one line.
missing_packages() {
  local wanted installed
  wanted=$(packages_in "$1")
  # shellcheck disable=SC2086
  installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' $wanted 2>/dev/null | sed -n 's/ installed$//p')
  comm -23 <(sort <<<"$wanted") <(sort <<<"$installed") | tr '\n' ' ' | sed 's/ $//'
}

# What runs apt-get as root: nothing for root itself, sudo where it asks no password; fails when neither works.
as_root() {
  if [[ $(id -u) == 0 ]]; then
    "$@"
  elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    sudo -n env DEBIAN_FRONTEND=noninteractive "$@"
  else
    return 1
  fi
}

# install_packages NAMES...: says what it is about to install, then does it.
install_packages() {
  local log="$root/build/apt.log"
  mkdir -p "$root/build" || die "cannot create $root/build"
  command -v apt-get >/dev/null && as_root true || return 1
  say "installing from Debian: $*"
  export DEBIAN_FRONTEND=noninteractive
  if ! as_root apt-get update -q >"$log" 2>&1 </dev/null; then
    say "apt-get update failed (going on with the package lists at hand)"
    tail -n 5 "$log" >&2
  fi
  if ! as_root apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "$@" >>"$log" 2>&1 </dev/null; then
    say "apt-get install failed; the end of $log:"
    tail -n 15 "$log" >&2
    return 1
  fi
}

# Every package that the build needs is there after this, or the program ends with the command to type.
ensure_packages() {
  [[ -z ${CAROM_SKIP_PACKAGES:-} ]] || return 0
  if ! command -v dpkg-query >/dev/null; then
    say "this is not a Debian system, so the packages cannot be checked. Carom builds with (Debian's names):"
    die "  $(packages_in "$root/scripts/packages.txt" | tr '\n' ' ')
once they are there, call: CAROM_SKIP_PACKAGES=1 $0"
  fi
  local missing
  missing=$(missing_packages "$root/scripts/packages.txt")
  [[ -n $missing ]] || return 0
  # shellcheck disable=SC2086
  install_packages $missing && return 0
  say "these Debian packages are missing and could not be installed from here: $missing"
  die "please run, then try again:
  sudo apt-get update && sudo apt-get install -y --no-install-recommends $missing"
}

# offer_packages LIST: what only tests need, installed when possible, else named.
offer_packages() {
  command -v dpkg-query >/dev/null || return 0
  local missing
  missing=$(missing_packages "$root/scripts/$1")
  [[ -n $missing ]] || return 0
  # shellcheck disable=SC2086
  install_packages $missing || say "without $missing some tests will be skipped"
}

show_failure() {  # log, what failed
  say "$2 failed; the end of $1:"
  grep -q 'error:\|FAILED\|CMake Error' "$1" && grep -n -m 10 'error:\|CMake Error' "$1" >&2
  tail -n 25 "$1" >&2
}

# Reads ninja's lines: a short live line on a terminal, one line otherwise, nothing when there is nothing to do.
show_build_progress() {
  local line announced='' pattern='^\[([0-9]+)/([0-9]+)\]'
  while IFS= read -r line; do
    printf '%s\n' "$line"
    [[ $line =~ $pattern && ${BASH_REMATCH[1]} != 0 ]] || continue
    if [[ -t 2 ]]; then
      printf '\r%s: building %s/%s\033[K' "$program" "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" >&2
    elif [[ -z $announced ]]; then
      say "building in $tree (log: $tree/build.log)"
    fi
    announced=yes
  done >"$tree/build.log"
  if [[ -n $announced && -t 2 ]]; then printf '\r\033[K' >&2; fi
}

# A tree that was copied from elsewhere, or half configured, is made anew.
forget_foreign_tree() {
  [[ -f $tree/CMakeCache.txt ]] || return 0
  grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$tree/CMakeCache.txt" &&
    grep -qxF "CMAKE_CACHEFILE_DIR:INTERNAL=$tree" "$tree/CMakeCache.txt" && return 0
  say "$tree was configured for another folder: making it anew"
  rm -rf "$tree"
  mkdir -p "$tree"
}

configure_tree() {  # preset, [arguments of cmake]
  local log="$tree/configure.log"
  say "configuring $tree"
  if ! (cd "$root" && cmake --preset "$1" -B "$tree" "${@:2}") >"$log" 2>&1 </dev/null; then
    show_failure "$log" "configuring"
    exit 2
  fi
}

run_ninja() {  # targets...
  NINJA_STATUS='[%f/%t] ' ninja -C "$tree" -j "$(nproc)" "$@" 2>&1 </dev/null | show_build_progress
  return "${PIPESTATUS[0]}"
}

# build_tree FOLDER PRESET CACHE_LINE TARGETS...: configures when there is no usable tree or when its cache lacks
# CACHE_LINE (may be empty), then builds. One caller at a time.
build_tree() {
  tree=$1
  local preset=$2 cache_line=$3
  shift 3
  mkdir -p "$tree" 2>/dev/null || die "cannot create $tree"
  exec 9>"$root/build/.lock" || die "cannot write in $root/build"
  if ! flock -n 9; then
    say "waiting for another build to end"
    flock 9
  fi
  # ccache needs a folder it may write to.
  if [[ -z ${CCACHE_DIR:-} && ! -w ${HOME:-/nonexistent} ]]; then export CCACHE_DIR="$root/build/.ccache"; fi

  forget_foreign_tree
  if [[ ! -f $tree/build.ninja || ! -f $tree/CMakeCache.txt ]] ||
    { [[ -n $cache_line ]] && ! grep -qxF "$cache_line" "$tree/CMakeCache.txt"; }; then
    configure_tree "$preset"
  fi
  if ! run_ninja "$@"; then
    # A library that moved (an upgrade of the system) is found again by configuring from nothing.
    if grep -q 'missing and no known rule to make it' "$tree/build.log"; then
      configure_tree "$preset" --fresh
      run_ninja "$@" && return 0
    fi
    show_failure "$tree/build.log" "the build"
    exit 2
  fi
  exec 9>&-
}
