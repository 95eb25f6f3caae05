#!/usr/bin/env bash
# The command line as a user meets it: exit codes, messages, files left behind, resuming, signals.
# Arguments: the program, the folder of example scenes, a scratch folder
set -uo pipefail
carom=$1 examples=$2 scratch=$3
source "$(dirname "$0")/script_functions.sh"

# scene FILE [sed expression]: a ball on a floor, altered.
scene() {
  cat >"$1" <<'TOML'
[run]
duration = 0.2
step = 1e-3

[material.stone]
friction = 0.5
restitution = 0.3

[[body]]
name = "floor"
shape = "half_space"
normal = [0, 0, 1]
material = "stone"

[[body]]
name = "ball"
shape = "sphere"
radius = 0.1
position = [0, 0, 0.12]
velocity = [1, 0, -1]
material = "stone"

[output]
frame_every = 10
TOML
  if [[ $# -gt 1 ]]; then sed -i "$2" "$1"; fi
}
# rejected NAME MESSAGE SED: the altered scene ends with exit code 2, a message that names the file, and no run file.
rejected() {
  scene bad.toml "$3"
  rm -f bad.h5
  call run bad.toml
  expect_code 2 "$1"
  expect_error "error: bad.toml" "$1"
  expect_error "$2" "$1"
  expect_absent bad.h5 "$1"
  [[ ! -s stdout ]] || fail "$1: wrote to standard output"
}

echo "-- bad input"
call run missing.toml
expect_code 2 "missing file"
expect_error "error: missing.toml: no such file" "missing file"
rejected "bad TOML" "bad.toml:2:" '2s/.*/duration = = 3/'
rejected "negative radius" "body[1].radius: must be " 's/^radius = .*/radius = -1/'
rejected "negative mass" "mass" 's/^radius = .*/radius = 0.1\nmass = -2/'
rejected "NaN" "velocity" 's/^velocity = .*/velocity = [nan, 0, 0]/'
rejected "no bodies" "bod" '/\[\[body\]\]/,$d'
rejected "overlapping start" "overlap" 's/0.12\]/0.05]/'
rejected "unknown material" "stone" '/^name = "ball"/,$s/material = "stone"/material = "stome"/'
rejected "unknown key" 'did you mean "radius"' 's/^radius/raduis/'
rejected "absurd step" "step" 's/^step = .*/step = 1e-30/'
rejected "step longer than the run" "step" 's/^step = .*/step = 10/'
rejected "wrong type" "radius" 's/^radius = .*/radius = "big"/'
: >empty.toml
call run empty.toml
expect_code 2 "empty scene"
call run .
expect_code 2 "a folder as scene"
head -c 4096 /dev/urandom >noise.toml
call run noise.toml
expect_code 2 "noise as scene"

echo "-- usage"
call rnu
expect_code 2 "unknown command"
expect_error 'did you mean "run"' "unknown command"
scene ball.toml
call run ball.toml --overwrit
expect_code 2 "unknown option"
expect_error '--overwrite' "unknown option"
call run
expect_code 2 "no scene"
call run ball.toml --resume --overwrite
expect_code 2 "options that exclude each other"
call run ball.toml --threads 0
expect_code 2 "zero threads"
call --version
expect_code 0 "--version"
expect_output "carom 0." "--version"
call
expect_code 0 "no arguments"
for command in run info export new compare solvers; do
  call "$command" --help
  expect_code 0 "$command --help"
  expect_output "carom $command" "$command --help has an example"
done
call solvers
expect_code 0 "solvers"
expect_output "nsgs" "solvers"
expect_output "tolerance" "solvers"

echo "-- runs and their files"
call run ball.toml
expect_code 0 "run"
expect_output "complete" "run"
expect_output "carom info ball.h5" "run"
[[ -s ball.h5 && -s ball.xdmf ]] || fail "run: ball.h5 or ball.xdmf is missing"
grep -q $'\x1b' stdout stderr && fail "control characters without a terminal"
cp ball.h5 before.h5
call run ball.toml
expect_code 2 "existing output"
expect_error "exists already" "existing output"
cmp -s ball.h5 before.h5 || fail "existing output: was touched"
call run ball.toml --overwrite --quiet
expect_code 0 "--overwrite"
[[ ! -s stdout && ! -s stderr ]] || fail "--quiet printed something"
call run ball.toml --resume
expect_code 0 "resuming a complete run"
call run ball.toml -o nowhere/ball.h5
expect_code 2 "unwritable output"
expect_error "nowhere/ball.h5" "unwritable output"
call run ball.toml --no-output
expect_code 0 "--no-output"
call run ball.toml -o none.h5 --resume
expect_code 2 "nothing to resume"
call info ball.h5
expect_code 0 "info on a run"
expect_output "complete" "info on a run"
expect_output "trust         yes" "info on a run"
call info ball.toml
expect_code 0 "info on a scene"
expect_output "1 moving" "info on a scene"
call info missing.h5
expect_code 2 "info on nothing"
head -c 3000 ball.h5 >cut.h5
call info cut.h5
expect_code 2 "info on a damaged file"
call run ball.toml --no-output --json --quiet
expect_code 0 "--json"
[[ $(wc -l <stdout) == 1 ]] || fail "--json prints more than one line"
expect_output '"status": "complete"' "--json"
if command -v python3 >/dev/null; then
  python3 -m json.tool <stdout >/dev/null || fail "--json is not JSON"
  call info ball.h5 --json
  python3 -m json.tool <stdout >/dev/null || fail "info --json is not JSON"
  call info ball.toml --json
  python3 -m json.tool <stdout >/dev/null || fail "info --json on a scene is not JSON"
else
  echo "   (python3 is not here: JSON is not parsed)"
fi
call run ball.toml --no-output --dump-problems problems --quiet
expect_code 0 "--dump-problems"
ls problems/*.hdf5 >/dev/null 2>&1 || fail "--dump-problems wrote nothing"

echo "-- exports"
for what in bodies contacts diagnostics; do
  call export ball.h5 --what $what -o $what.csv
  expect_code 0 "export $what"
  [[ $(wc -l <$what.csv) -gt 1 ]] || fail "export $what: the table is empty"
done
[[ $(wc -l <diagnostics.csv) == 201 ]] || fail "diagnostics do not have one row per step"
call export ball.h5 --format xdmf -o again.xdmf
expect_code 0 "export xdmf"
call export ball.h5 --format svg
expect_code 0 "export svg"
head -c 300 ball.svg | grep -q '<svg' || fail "export svg: not an SVG"
call export ball.h5 --format svg --frame 100000 -o far.svg
expect_code 2 "a frame that does not exist"
call export ball.h5 --format pdf
expect_code 2 "unknown format"
call export ball.h5 --frame 3
expect_code 2 "--frame with csv"
call export ball.h5 --format xdmf -o ball.h5
expect_code 2 "export over the run itself"
call info ball.h5
expect_code 0 "the run after exports"

echo "-- resuming equals never stopping"
same_run() {  # file, name: the same numbers as whole.h5, phase times apart
  for what in bodies contacts; do
    "$carom" export "$1" --what $what -o a.csv >/dev/null && "$carom" export whole.h5 --what $what -o b.csv >/dev/null
    cmp -s a.csv b.csv || fail "$2: $what differ from the uninterrupted run"
  done
  if command -v h5diff >/dev/null; then
    h5diff --exclude-path /diagnostics/phase_seconds --exclude-path /checkpoint "$1" whole.h5 >stdout 2>stderr ||
      fail "$2: h5diff finds differences"
  fi
}
call run ball.toml -o whole.h5 --quiet
call run ball.toml -o parts.h5 --steps 63
expect_code 0 "--steps"
expect_output "as asked" "--steps"
call info parts.h5
expect_output "stopped at step 63 of 200" "info on a part of a run"
call run ball.toml -o parts.h5 --resume --steps 117 --threads 2 --quiet
expect_code 0 "first resume"
call run ball.toml -o parts.h5 --resume --quiet
expect_code 0 "second resume"
same_run parts.h5 "resume"
scene other.toml 's/^radius = .*/radius = 0.11/'
call run ball.toml -o parts2.h5 --steps 50 --quiet
call run other.toml -o parts2.h5 --resume
expect_code 2 "resuming another scene"

echo "-- signals"
# Long enough that the signal always comes first; ends when it does.
scene long.toml 's/^duration = .*/duration = 100/; s/^step = .*/step = 1e-6/; s/^frame_every = .*/frame_every = 1000/'
for signal in INT:130 TERM:143; do
  timeout --foreground --preserve-status -s "${signal%:*}" 1 "$carom" run long.toml -o "long_${signal%:*}.h5" >stdout 2>stderr </dev/null
  code=$?
  expect_code "${signal#*:}" "SIG${signal%:*}"
  expect_output "interrupted at step" "SIG${signal%:*}"
  expect_output "--resume" "SIG${signal%:*}"
  call info "long_${signal%:*}.h5"
  expect_output "not complete" "info after SIG${signal%:*}"
done
timeout --foreground -s KILL 1 "$carom" run long.toml -o long_KILL.h5 >/dev/null 2>&1 </dev/null
for file in long_INT.h5 long_KILL.h5; do
  call info $file
  expect_code 0 "info on $file"
  steps=$("$carom" info $file --json | sed 's/.*"steps": \([0-9]*\),.*/\1/')
  call run long.toml -o $file --resume --steps $((steps + 1000)) --quiet
  expect_code 0 "resuming $file"
  call run long.toml -o long_whole.h5 --steps $((steps + 1000)) --quiet --overwrite
  "$carom" export $file -o a.csv >/dev/null && "$carom" export long_whole.h5 -o b.csv >/dev/null
  cmp -s a.csv b.csv || fail "$file resumed: bodies differ from the uninterrupted run"
done

echo "-- the disk is full"
scene full.toml 's/^duration = .*/duration = 20/; s/^frame_every = .*/frame_every = 1\ncheckpoint_every = 100/'
call run full.toml -o full_whole.h5 --quiet
room=$(($(stat -c %s full_whole.h5) / 2048)) # blocks of 1024 bytes: half of what it needs
(
  ulimit -f $room
  "$carom" run full.toml >stdout 2>stderr </dev/null
)
code=$?
expect_code 3 "file-size limit"
expect_error "full.h5" "file-size limit"
grep -q complete stdout && fail "file-size limit: claims success"
call info full.h5
expect_code 0 "info after a full disk"
expect_output "not complete" "info after a full disk"
call run full.toml --resume --quiet
expect_code 0 "resuming after a full disk"
"$carom" export full.h5 -o a.csv >/dev/null && "$carom" export full_whole.h5 -o b.csv >/dev/null
cmp -s a.csv b.csv || fail "resuming after a full disk: bodies differ from the uninterrupted run"
(
  ulimit -f 4
  "$carom" run ball.toml -o tiny.h5 >stdout 2>stderr </dev/null
)
code=$?
expect_code 2 "no room to start"
expect_absent tiny.h5 "no room to start"
expect_absent tiny.h5.part "no room to start"
if [[ -w /dev/full ]]; then
  "$carom" info ball.h5 >/dev/full 2>stderr
  code=$?
  expect_code 3 "standard output is full"
fi

echo "-- numerical failure"
scene unsolved.toml 's/^\[output\]/[solver]\ntolerance = 1e-300\nmax_iterations = 1\n\n[output]/'
call run unsolved.toml --overwrite
expect_code 3 "unsolved steps"
expect_error "not solved" "unsolved steps"
grep -q ': complete' stdout && fail "unsolved steps: claims success"
call info unsolved.h5
expect_output "NOT" "info on unsolved steps"
sed 's/^\[run\]/[run]\non_unsolved = "stop"/' unsolved.toml >stop.toml
call run stop.toml
expect_code 3 "on_unsolved = stop"
expect_error "stopped at step" "on_unsolved = stop"
sed 's/^\[run\]/[run]\non_unsolved = "accept"/' unsolved.toml >accept.toml
call run accept.toml
expect_code 0 "on_unsolved = accept"
scene blowup.toml 's/^\[output\]/[[load]]\nbody = "ball"\nforce = [1e308, 0, 1e308]\n\n[output]/'
call run blowup.toml --json
expect_code 3 "a state that is not finite"
expect_error "failed at step" "a state that is not finite"
expect_output '"exit_code": 3' "a state that is not finite"
call info blowup.h5
expect_code 0 "info on a failed run"
expect_output "failed at step" "info on a failed run"

echo "-- problems"
call new sphere_pile pile.toml
call run pile.toml --steps 300 --no-output --dump-problems problems --quiet
expect_code 0 "dumping problems"
problem=$(ls -S problems/*.hdf5 | head -1)
call solve "$problem"
expect_code 0 "solve"
for words in " contacts in 3D" "friction " "asymmetry " "solver " "solved" "iterations " "m/s at the worst contact" " sticking"; do
  expect_output "$words" "solve"
done
call solve "$problem" --tol 1e-10 --measure velocity --solution solved.hdf5 --history history.csv --json
expect_code 0 "solve --json"
expect_output '"solved": true' "solve --json"
expect_output '"measure": "velocity"' "solve --json"
[[ $(head -1 history.csv) == iteration,seconds,natural_map,* ]] || fail "solve --history: no table"
# Sweeps alone come to a halt on this pile near 5e-6 and say so.
call solve solved.hdf5 --solver nsgs --option relaxation=1.1 --option check_every=5 --tol 1e-5
expect_code 0 "solve what solve wrote"
call solve solved.hdf5 --guess --max-iterations 1 --measure velocity --tol 5.1e-4
expect_code 0 "solve --guess: the step's own impulses are an answer"
call solve "$problem" --solver nsgs --max-iterations 1 --tol 1e-12 --dump left.hdf5 --solution none.hdf5
expect_code 3 "not solved"
expect_error "not solved: the iteration limit was reached" "not solved"
expect_output "--max-iterations above 1" "not solved: advice"
expect_output "carom solve left.hdf5 --guess" "not solved: advice"
expect_absent none.hdf5 "not solved"
call solve left.hdf5 --guess
expect_code 0 "solve what was left"
expect_output "guess " "solve what was left"
call solve "$problem" --time-limit 0 --tol 0
expect_code 3 "no time"
expect_error "time limit" "no time"

# refused NAME MESSAGE ARGUMENT...: exit code 2, a message, nothing on standard output
refused() {
  call solve "${@:3}"
  expect_code 2 "$1"
  expect_error "$2" "$1"
  [[ ! -s stdout ]] || fail "$1: wrote to standard output"
}
refused "unknown solver" "known are auto, exact, nsgs" "$problem" --solver ngss
refused "unknown solver option" "it has tolerance, measure" "$problem" --option omega=1
refused "option without value" "must read name=value" "$problem" --option tolerance
refused "option given twice" "given twice" "$problem" --tol 1e-3 --option tolerance=1e-4
refused "option out of range" "relaxation: must be in (0, 2)" "$problem" --solver nsgs --option relaxation=3
refused "unknown measure" "natural_map|velocity" "$problem" --measure speed
refused "tolerance of text" "tolerance" "$problem" --tol small
refused "no such problem" "missing.hdf5: no such file" missing.hdf5
refused "a folder as problem" "is a folder" problems
refused "a scene as problem" "pile.toml: is not a readable HDF5 file" pile.toml
refused "a run as problem" "ball.h5: is a run" ball.h5
refused "the problem as output" "is the problem itself" "$problem" --solution "$problem"
refused "no folder for the output" "no such folder" "$problem" --dump nowhere/left.hdf5
head -c 3000 "$problem" >cut.hdf5
refused "a cut problem" "cut.hdf5" cut.hdf5
head -c 5000 /dev/urandom >noise.hdf5
refused "noise as problem" "noise.hdf5" noise.hdf5
: >empty.hdf5
refused "an empty problem" "empty.hdf5" empty.hdf5
call solve --help
expect_code 0 "solve --help"
expect_output "Examples:" "solve --help"

if [[ -w /dev/full ]]; then
  (
    ulimit -f 1
    "$carom" solve "$problem" --solution full.hdf5 >stdout 2>stderr </dev/null
  )
  code=$?
  expect_code 3 "no room for the solution"
  expect_error "full.hdf5" "no room for the solution"
  expect_absent full.hdf5 "no room for the solution"
fi

echo "-- comparing solvers"
mkdir -p compared
call compare "$problem" --solvers nsgs --tol 1e-3,1e-6 --time-limit 5 --repeat 2 --details \
  --csv compared/c.csv --svg compared/c.svg --history compared/h.csv
expect_code 0 "compare"
expect_output "tolerance 1e-03" "compare"
expect_output "tolerance 1e-06" "compare"
expect_output "wrote compared/c.csv" "compare"
[[ $(grep -vc '^#' compared/c.csv) == 3 ]] || fail "compare: one line per solve and a header"
grep -q '^# processor: ' compared/c.csv || fail "compare: the table does not name the machine"
grep -q '</svg>' compared/c.svg || fail "compare: no picture"
[[ $(grep -vc '^#' compared/h.csv) -ge 2 ]] || fail "compare: no history"
grep -q $'\x1b' stdout stderr && fail "compare: control characters without a terminal"
cp "$problem" compared/
(cd compared && call compare "$(basename "$problem")" --solvers nsgs,nsgs --tol 1e-3 &&
  [[ $code == 0 && -s compare.csv && -s compare.svg ]]) || fail "compare: default files"
rm -f compared/stdout compared/stderr
call compare "$problem" --solvers nsgs --tol 1e-3 --csv none --svg none
expect_code 0 "compare without files"
expect_absent compare.csv "compare without files"
call compare "$problem" --solvers nsgs,nsgd
expect_code 2 "compare with an unknown solver"
expect_error "nsgs" "compare with an unknown solver"
expect_error "got nsgd" "compare with an unknown solver"
expect_absent compare.csv "compare with an unknown solver"
call compare "$problem" --option nsgs.relaxation=3
expect_code 2 "compare with an option out of range"
expect_error "(0, 2)" "compare with an option out of range"
call compare "$problem" --option nsgs.tolerance=1e-3
expect_code 2 "compare with an option of its own"
expect_error "set by the comparison" "compare with an option of its own"
call compare "$problem" --option relaxation=1
expect_code 2 "compare with an option of nobody"
expect_error "solver.option=value" "compare with an option of nobody"
call compare "$problem" --option nsgd.relaxation=1
expect_code 2 "compare with an option of an unknown solver"
call compare "$problem" --tol 2
expect_code 2 "compare to a tolerance above 1"
call compare "$problem" --time-limit 0
expect_code 2 "compare in no time"
call compare "$problem" --repeat 0
expect_code 2 "compare without repeats"
call compare
expect_code 2 "compare nothing"
call compare missing.hdf5
expect_code 2 "compare on a missing file"
expect_error "missing.hdf5" "compare on a missing file"
call compare ball.h5
expect_code 2 "compare on a run"
call compare "$problem" --svg nowhere/c.svg
expect_code 2 "compare into a missing folder"
expect_error "nowhere/c.svg" "compare into a missing folder"
call compare "$problem" --csv "$problem"
expect_code 2 "compare over its own problem"

echo "-- templates"
call new
expect_code 0 "the list of templates"
expect_output "newton_cradle" "the list of templates"
call new newton_cradel
expect_code 2 "unknown template"
expect_error 'did you mean "newton_cradle"' "unknown template"
for example in "$examples"/*.toml; do
  name=$(basename "$example" .toml)
  call new "$name" "new_$name.toml"
  expect_code 0 "new $name"
  cmp -s "$example" "new_$name.toml" || fail "new $name: not the example"
  call run "new_$name.toml" --steps 20
  expect_code 0 "run of the template $name"
done
echo "mine" >spinning_top.toml
call new spinning_top
expect_code 2 "new over an existing file"
[[ $(cat spinning_top.toml) == mine ]] || fail "new replaced an existing file"

finish
