#!/usr/bin/env bash
# Another project finds an installed carom, builds against it and runs.
# Arguments: build tree, consumer's source folder, scratch folder, C++ compiler, extra compiler flags
set -euo pipefail
tree=$1 source=$2 scratch=$3 compiler=$4 flags=${5:-}

rm -rf "$scratch"
mkdir -p "$scratch"
cmake --install "$tree" --prefix "$scratch/prefix" >"$scratch/install.log"
[[ -x $scratch/prefix/bin/carom ]] || { echo "the program was not installed"; exit 1; }
"$scratch/prefix/bin/carom" --version

cmake -G Ninja -S "$source" -B "$scratch/build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_CXX_FLAGS="$flags" -DCMAKE_PREFIX_PATH="$scratch/prefix"
cmake --build "$scratch/build"
cd "$scratch"
./build/drop
./build/scene
./build/own_system
rm -rf "$scratch"
