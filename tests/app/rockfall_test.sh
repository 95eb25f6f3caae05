#!/usr/bin/env bash
# carom rockfall as a user meets it: exit codes, files, interrupting and resuming, full disks, machines side by side.
# Arguments: the program, the folder of example scenes, a scratch folder
set -uo pipefail
carom=$1 examples=$2 scratch=$3
source "$(dirname "$0")/script_functions.sh"

# study FILE [sed expression]: a small study, altered.
study() {
  cat >"$1" <<'TOML'
[study]
seed = 5

[terrain]
size = [120, 60]
cell = 2
profile = [[0, 70], [80, 12], [120, 10]]
bumps = { height = 0.6, length = 12 }

[[ground]]
name = "rock"
friction = 0.6
restitution = 0.35
rolling_friction = 0.3
roughness = 4

[[block]]
name = "rock"
shape = "random"
volume = { distribution = "lognormal", median = 0.3, sigma = 0.5 }

[[release]]
line = [[8, 20], [8, 40]]
count = 300
height = [0, 2]

[[barrier]]
name = "net"
line = [[85, 0], [85, 60]]
TOML
  if [[ $# -gt 1 ]]; then sed -i "$2" "$1"; fi
}
# refused NAME MESSAGE SED: the altered study ends with exit code 2, names the file and leaves no folder.
refused() {
  study bad.toml "$3"
  call rockfall bad.toml -o bad
  expect_code 2 "$1"
  expect_error "bad.toml" "$1"
  expect_error "$2" "$1"
  expect_absent bad "$1"
}
same() { diff -r "$1" "$2" >difference || { fail "$3"; head -5 difference; }; }

echo "-- bad input"
call rockfall missing.toml
expect_code 2 "missing study"
refused "zero blocks" "count" 's/^count = 300/count = 0/'
refused "release beyond the map" "outside the map" 's/\[\[8, 20\]/[[-8, 20]/'
refused "unknown key" "restitution" 's/^restitution/restituton/'
refused "no terrain" "terrain" 's/^\[terrain\]/[terain]/'

echo "-- the study, and the same with three threads"
study whole.toml
call rockfall whole.toml --threads 1
expect_code 0 "the study"
expect_output "net" "the study"
for file in study.h5 trajectories.csv crossings.csv barriers.csv runout.csv trajectories.geojson summary.txt summary.html \
  maps/passages.asc maps/reach_probability.asc maps/deposits.asc maps/speed_p95.asc maps/units.csv; do
  [[ -s whole_rockfall/$file ]] || fail "the study left no $file"
done
[[ -e whole_rockfall/unfinished.journal ]] && fail "a finished study left its journal"
call rockfall whole.toml
expect_code 2 "a second call"
expect_error "--overwrite" "a second call"
call rockfall whole.toml --resume
expect_code 0 "resuming a finished study"
expect_error "nothing to do" "resuming a finished study"
call rockfall whole.toml -o three --threads 3 --quiet
expect_code 0 "three threads"
same whole_rockfall three "three threads gave other files"

echo "-- killed halfway and resumed"
"$carom" rockfall whole.toml -o killed --threads 1 >/dev/null 2>&1 </dev/null &
victim=$!
for _ in $(seq 600); do
  [[ $(stat -c %s killed/unfinished.journal 2>/dev/null || echo 0) -gt 100000 ]] && break
  kill -0 $victim 2>/dev/null || break
  sleep 0.02
done
kill -KILL $victim 2>/dev/null
wait $victim 2>/dev/null
if [[ -e killed/unfinished.journal ]]; then
  grep -q PARTIAL killed/summary.txt || fail "a killed study is not marked partial"
  call rockfall whole.toml -o killed --resume --threads 2
  expect_code 0 "resuming after a kill"
else
  echo "   (it was over before it could be killed)"
fi
same whole_rockfall killed "a killed and resumed study has other files"

echo "-- stopped by a signal"
study long.toml 's/^count = .*/count = 20000/'
"$carom" rockfall long.toml -o stopped --threads 1 >stdout 2>stderr </dev/null &
victim=$!
for _ in $(seq 600); do
  [[ $(stat -c %s stopped/unfinished.journal 2>/dev/null || echo 0) -gt 1000 ]] && break
  sleep 0.02
done
kill -TERM $victim
wait $victim
code=$?
expect_code 143 "a signal"
expect_output "PARTIAL" "a signal"
grep -q "PARTIAL RESULTS" stopped/summary.html || fail "results after a signal are not marked partial"
grep -q "partial" stopped/trajectories.csv || fail "tables after a signal are not marked partial"

echo "-- the disk is full"
(
  ulimit -f 100 # blocks of 1024 bytes
  "$carom" rockfall whole.toml -o full --threads 1 >stdout 2>stderr </dev/null
)
code=$?
expect_code 2 "file-size limit"
expect_error "full/" "file-size limit"
expect_error "partial" "file-size limit"
grep -q PARTIAL full/summary.txt || fail "a study without room is not marked partial"
call rockfall whole.toml -o full --resume --quiet
expect_code 0 "resuming with room"
same whole_rockfall full "a study that ran out of room and was resumed has other files"

echo "-- two processes"
if command -v mpirun >/dev/null && [[ -e $(dirname "$carom")/libcarom_mpi.so ]]; then
  timeout 120 mpirun --allow-run-as-root --oversubscribe -n 2 "$carom" rockfall whole.toml -o ranks --threads 1 >stdout 2>stderr </dev/null
  code=$?
  expect_code 0 "mpirun"
  same whole_rockfall ranks "two processes gave other files"
else
  echo "   skipped: mpirun or the MPI module is not here"
fi

echo "-- templates and examples"
call new rockfall_slope slope.toml
expect_code 0 "new rockfall_slope"
expect_output "carom rockfall slope.toml" "new rockfall_slope"
for example in "$examples"/rockfall/*.toml; do
  call rockfall "$example" --check
  expect_code 0 "reading $example"
done

finish
