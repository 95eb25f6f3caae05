#!/usr/bin/env bash
# carom impact, and runs of [system] and [impact] scenes, as a user meets them: bad input, reports, scans, resuming.
# Arguments: the program, the folder of example scenes, a scratch folder
set -uo pipefail
carom=$1 examples=$2 scratch=$3
source "$(dirname "$0")/script_functions.sh"

# altered FILE SED: bad.toml is the file, altered.
altered() { sed "$2" "$1" >bad.toml; }
# refused NAME MESSAGE PLACE ARGUMENT...: exit code 2, a message that says where and what, nothing on standard output.
refused() {
  call impact "${@:4}"
  expect_code 2 "$1"
  expect_error "$2" "$1"
  expect_error "error: $3" "$1"
  [[ ! -s stdout ]] || fail "$1: wrote to standard output"
}

cat >chain.toml <<'TOML'
[system]
type = "ball_chain"
balls = 3
restitution = 1
stiffness = [1, 1]
exponent = 1.5

[impact]
law = "lzb"
TOML
cat >stated.toml <<'TOML'
[system]
type = "explicit"
mass = [1, 1, 1]
velocities = [1, 0, 0]

[[contact]]
name = "1-2"
normal = [-1, 1, 0]

[[contact]]
name = "2-3"
normal = [0, -1, 1]

[impact]
law = "restitution_matrix"
TOML

echo "-- parameters out of range"
for law in newton moreau fremond restitution_matrix binary impulse_ratio lzb; do
  altered chain.toml 's/^restitution.*/restitution = 1.2/'
  refused "e = 1.2 under $law" "(got 1.2)" 'bad.toml:1:1: contact "1-2": ' bad.toml --law $law
  expect_error "must be in [0, 1]" "e = 1.2 under $law"
done
altered chain.toml 's/^restitution.*/restitution = 2.5/'
refused "e = 2.5 under poisson" "must be in [0, 2]" 'bad.toml:1:1: contact "1-2": ' bad.toml --law poisson
altered chain.toml 's/^restitution.*/restitution = -0.1/'
refused "e < 0" "must be in [0, inf) (got -0.1)" "bad.toml:4:15: system.restitution" bad.toml
altered chain.toml 's/^stiffness.*/stiffness = [1, 0]/'
refused "K = 0" "must be in (0, inf) (got 0)" "bad.toml:5:17: system.stiffness[1]" bad.toml
altered chain.toml 's/^stiffness.*/stiffness = -2/'
refused "K < 0" "(got -2)" "bad.toml:5:13: system.stiffness" bad.toml
altered chain.toml 's/^exponent.*/exponent = 0.9/'
refused "eta < 1" "must be in [1, inf) (got 0.9)" "bad.toml:6:12: system.exponent" bad.toml
altered chain.toml 's/^exponent.*/exponent = nan/'
refused "eta is no number" "nan" "bad.toml:6:12: system.exponent" bad.toml
altered chain.toml 's/^balls.*/balls = 3\nmass = [1, 0, 1]/'
refused "no mass" "(got 0)" "bad.toml:4:12: system.mass[1]" bad.toml
altered chain.toml 's/^balls.*/balls = 3\nmass = [1, 1]/'
refused "masses that do not fit" "must have one value for all or 3 (got 2 values)" "bad.toml:1:1" bad.toml
altered stated.toml 's/^normal = \[-1.*/normal = [0, 0, 0]/'
refused "a contact between fixed bodies" "neither body of this contact can be moved" "bad.toml:8:10: contact[0].normal" bad.toml
altered stated.toml 's/^law.*/law = "restitution_matrix"\nmatrix = [[1,0,0],[0,1,0],[0,0,1]]/'
refused "E_n of wrong size" "must be 2 x 2, as many as the impact has contacts (got 3 x 3)" "bad.toml:14:1: impact: matrix" bad.toml
altered stated.toml 's/^law.*/law = "restitution_matrix"\nmatrix = [[1,0],[0]]/'
refused "E_n that is no matrix" "must have 2 entries" "bad.toml:16:" bad.toml
altered stated.toml 's/^normal = \[0, -1, 1\]/normal = [0, -1]/'
refused "a normal of wrong size" "a list of 3 numbers" "bad.toml:12:10" bad.toml
altered chain.toml 's/^type.*/type = "ball_chian"/'
refused "unknown system" 'did you mean "ball_chain"' "bad.toml:2:8: system.type" bad.toml
altered chain.toml 's/^balls.*/balls = 3\ngap = 0.01/'
refused "nothing touches" "no contact is closed" "bad.toml:9:1: impact" bad.toml

echo "-- outcomes that are reported, not refused"
altered stated.toml 's/^law.*/law = "restitution_matrix"\nmatrix = [[0.9,0],[0.9,0.9]]/'
call impact bad.toml
expect_code 0 "a matrix that adds energy"
expect_error "warning: bad.toml: the outcome of restitution_matrix is not consistent: energy grows by 0.477 J" "a matrix that adds energy"
expect_output "energetic   NO" "a matrix that adds energy"
expect_output "the matrix multiplies the energy of some impacts by 2.43" "a matrix that adds energy"
altered stated.toml 's/^velocities.*/velocities = [-1, 0, 2]/'
for law in newton restitution_matrix poisson binary impulse_ratio lzb; do
  call impact bad.toml --law $law
  expect_code 0 "all separate, $law"
  expect_output "nothing to do: no contact approaches, so velocities stay as they are" "all separate, $law"
done
call impact bad.toml --law all
expect_code 0 "all separate, all laws"
altered chain.toml 's/^restitution.*/restitution = 1.5/'
call impact bad.toml --law all
expect_code 0 "laws that do not apply"
expect_output "newton does not apply: restitution must be in [0, 1] for the law newton (got 1.5)" "laws that do not apply"
expect_output "NO 0.83" "poisson beyond 1 gains energy"
altered chain.toml 's/^law.*/law = "lzb"\nmax_substeps = 3/'
call impact bad.toml
expect_code 3 "an impact that comes to no end"
expect_error "bad.toml" "an impact that comes to no end"

echo "-- usage"
refused "unknown law" "valid here: newton, moreau, fremond, restitution_matrix, poisson, binary, impulse_ratio, lzb, all (got zzz)" "--law" chain.toml --law zzz
refused "nearly a law" 'did you mean "lzb"' "--law" chain.toml --law lbz
refused "unknown option" "it has model, tolerance, max_substeps" "--option tolerence" chain.toml --option tolerence=1
refused "option out of range" "must be in [1e-12, 0.01] (got 7)" "--option tolerance" chain.toml --option tolerance=7
refused "option without value" "must read name=value" "--option" chain.toml --option tolerance
refused "an option of another choice" "order" "--option order" chain.toml --law binary --option order=sideways
for wrong in e e= =1 e=1:2 e=1:2:x e=1:2:0 e=0:1:log:5 e=1:2:lin:5 e=1,,2 e=nan; do
  refused "--scan $wrong" "--scan" "--scan" chain.toml --scan "$wrong" -o x.csv
done
refused "scan of nothing" "valid here: mass_ratio, e, e_t, mu, eta, stiffness_ratio, balls" "--scan nothing" chain.toml --scan nothing=0:1:5 -o x.csv
refused "scan beyond the range" "(got 1.5) (at e=1.5)" "chain.toml" chain.toml --scan e=0:2:5 -o x.csv
refused "scan without a file" "--scan needs -o FILE" "--scan" chain.toml --scan e=0:1:5
refused "scan into an unknown format" "the ending says which" "x.txt" chain.toml --scan e=0:1:5 -o x.txt
refused "scan of all laws" "scan one law at a time" "--law all" chain.toml --scan e=0:1:5 -o x.csv --law all
for output in "--scan e=0:1:3 -o" --evolution; do
  # shellcheck disable=SC2086
  refused "no folder for $output" "no such folder" "nowhere/x.csv" chain.toml $output nowhere/x.csv
done
refused "evolution over the impact" "is the impact itself" "chain.toml" chain.toml --evolution chain.toml
mkdir -p folder.csv
call impact chain.toml --evolution folder.csv
expect_code 2 "a folder as evolution"
expect_error "folder.csv: is a folder" "a folder as evolution"
refused "no file" "FILE is missing" "FILE"
refused "missing file" "no such file" "missing.toml" missing.toml
refused "--section without --reproduce" "is for --reproduce" "--section" chain.toml --section 3
refused "--tighten without --reproduce" "is for --reproduce" "--tighten" chain.toml --tighten 3
expect_absent x.csv "what was refused"
# Pipes and devices are written into, never replaced.
mkfifo pipe
cat pipe >through_pipe.csv &
reader=$!
call impact chain.toml --evolution pipe
expect_code 0 "evolution into a pipe"
wait $reader
[[ -p pipe ]] || fail "evolution into a pipe: the pipe was replaced"
call impact chain.toml --evolution plain.csv
cmp -s plain.csv through_pipe.csv || fail "evolution into a pipe: other text than in a file"
ln -s plain.csv link.csv
call impact chain.toml --evolution link.csv
[[ -L link.csv ]] || fail "evolution through a link: the link was replaced"
(
  ulimit -f 1
  "$carom" impact chain.toml --evolution large.csv >stdout 2>stderr </dev/null
)
code=$?
[[ $code == 2 || $code == 3 ]] || fail "no room for the evolution: exit code $code"
expect_error "large.csv: could not be written" "no room for the evolution"
expect_absent large.csv "no room for the evolution"
call impact --help
expect_code 0 "impact --help"
expect_output "carom impact" "impact --help has an example"
call impact --list
expect_code 0 "--list"
for name in newton lzb impulse_ratio ball_chain rocking_block explicit; do expect_output "$name: " "--list"; done
grep -q e+308 stdout && fail "--list: tells of the largest numbers"

echo "-- every example, under its own law and under all"
for example in "$examples"/impacts/*.toml; do
  name=$(basename "$example" .toml)
  call impact "$example" --evolution evolution.csv
  expect_code 0 "$name"
  for words in "status        done" "velocity of" "impulse [N s]" "KER = T+/T-" "C_KE = " "energetic" "kinematic" "kinetic" \
    "parameters" "uniqueness" "termination"; do expect_output "$words" "$name"; done
  [[ ! -s stderr ]] || fail "$name: warns"
  [[ $(wc -l <evolution.csv) -ge 2 ]] || fail "$name: no evolution"
  columns=$(awk -F, '{ print NF }' evolution.csv | sort -u | wc -l)
  [[ $columns == 1 ]] || fail "$name: rows of the evolution differ in length"
  call impact "$example" --law all
  expect_code 0 "$name under all laws"
  for law in newton restitution_matrix poisson binary impulse_ratio lzb; do expect_output "$law" "$name under all laws"; done
  call info "$example"
  expect_code 0 "info on $name"
  if command -v python3 >/dev/null; then
    call impact "$example" --law all --json
    python3 -m json.tool <stdout >/dev/null || fail "$name: --json is not JSON"
  fi
done

echo "-- scans"
for threads in 1 2 5; do
  call impact chain.toml --scan stiffness_ratio=0.01:100:log:9 --scan eta=1:3:5 -o scan$threads.csv -o scan$threads.h5 --threads $threads
  expect_code 0 "scan by $threads threads"
  cmp -s scan$threads.csv scan1.csv || fail "scan by $threads threads: other numbers than by one"
  cmp -s scan$threads.h5 scan1.h5 || fail "scan by $threads threads: another file than by one"
done
[[ $(wc -l <scan1.csv) == 46 ]] || fail "scan: not one row per point"
if /usr/bin/python3 -c "import h5py" 2>/dev/null; then
  /usr/bin/python3 - <<'PYTHON' || fail "scan: h5py reads something else than the CSV holds"
import csv, h5py
with h5py.File("scan1.h5", "r") as f:
    assert [a.decode() if isinstance(a, bytes) else a for a in f["/scan/axes"][:]] == ["stiffness_ratio", "eta"]
    v, ker, c = f["/outcome/velocity"][:], f["/outcome/ker"][:], f["/outcome/c_ke"][:]
    ratio, eta = f["/scan/values_0"][:], f["/scan/values_1"][:]
    assert v.shape == (9, 5, 3) and ker.shape == (9, 5) and f.attrs is not None
    rows = list(csv.DictReader(open("scan1.csv")))
    for k, row in enumerate(rows):
        i, j = divmod(k, 5)
        assert float(row["stiffness_ratio"]) == ratio[i] and float(row["eta"]) == eta[j]
        assert [float(row[f"v x{n}"]) for n in (1, 2, 3)] == list(v[i, j])
        assert float(row["KER"]) == ker[i, j] and float(row["C_KE"]) == c[i, j]
PYTHON
else
  echo "   (h5py is not here: the HDF5 scan is not read by it)"
fi

echo "-- the published figures"
call impact --reproduce --section 3
expect_code 0 "--reproduce"
for words in published ours difference tolerance verdict "0 are missed"; do expect_output "$words" "--reproduce"; done
call impact --reproduce --section 3 --tighten 1e6
expect_code 3 "a tolerance that is missed"
expect_output "MISSED" "a tolerance that is missed"
expect_error "published figures were missed, in sections 3" "a tolerance that is missed"

echo "-- runs of systems"
# system_scene FILE [sed]: five balls between walls under lzb.
system_scene() {
  cat >"$1" <<'TOML'
[run]
title = "Cradle between walls"
duration = 0.5
step = 1e-3

[system]
type = "ball_chain"
balls = 5
velocity = [1]
gap = [0.1, 0.02, 0, 0, 0, 0.1]
left_wall = true
right_wall = true
restitution = 0.9

[impact]
law = "lzb"

[output]
frame_every = 10
TOML
  if [[ $# -gt 1 ]]; then sed -i "$2" "$1"; fi
}
system_scene cradle.toml
call run cradle.toml -o whole.h5
expect_code 0 "run of a system"
expect_output "multiple impacts" "run of a system"
expect_output "complete" "run of a system"
call info whole.h5
expect_code 0 "info on the run of a system"
expect_output "5: x1, x2, x3, x4, x5" "info on the run of a system"
expect_output "trust" "info on the run of a system"
call info cradle.toml
expect_output "impact law    lzb" "info on the scene of a system"
call info whole.h5 --json
expect_output '"failed_impacts": 0' "info --json on the run of a system"
call export whole.h5 -o whole.csv
expect_code 0 "export of the run of a system"
[[ $(wc -l <whole.csv) -gt 50 ]] || fail "export of the run of a system: too few rows"
for law in newton moreau fremond restitution_matrix poisson binary impulse_ratio lzb; do
  for scene in cradle bodies; do
    if [[ $scene == cradle ]]; then
      system_scene law.toml "s/^law = .*/law = \"$law\"/"
    else
      sed 's/^step = .*/step = 1e-4/; s/^duration = .*/duration = 0.2/' "$examples/newton_cradle.toml" >law.toml
      printf '[impact]\nlaw = "%s"\n' "$law" >>law.toml
    fi
    call run law.toml --overwrite --json
    expect_code 0 "$scene under $law"
    expect_output '"failed_impacts": 0' "$scene under $law"
    expect_output '"trusted": true' "$scene under $law"
  done
done
for example in "$examples"/systems/*.toml; do
  name=$(basename "$example" .toml)
  call run "$example" -o "example_$name.h5"
  expect_code 0 "run of $name"
  expect_output ": complete" "run of $name"
  grep -q "NOT" stdout && fail "run of $name: is not to be trusted"
  call info "example_$name.h5"
  expect_code 0 "info on $name"
done
system_scene bad.toml 's/^law = .*/law = "lbz"/'
call run bad.toml
expect_code 2 "a run under an unknown law"
expect_error 'did you mean "lzb"' "a run under an unknown law"
system_scene bad.toml 's/^restitution = .*/restitution = 1.2/'
call run bad.toml
expect_code 2 "a run with e > 1"
expect_error "(got 1.2)" "a run with e > 1"
expect_absent bad.h5 "runs that were refused"

# refused_scene NAME SED MESSAGE: a scene of bodies under lzb, altered, is refused with its place.
refused_scene() {
  sed "$2" "$examples/bead_chain.toml" >bad.toml
  call run bad.toml
  expect_code 2 "a scene with $1"
  expect_error "error: bad.toml:" "a scene with $1"
  expect_error "$3" "a scene with $1"
}
refused_scene "K = 0" 's/^stiffness = .*/stiffness = 0/' "material.steel.stiffness: must be > 0 (got 0)"
refused_scene "eta < 1" 's/^exponent = .*/exponent = 0.5/' "material.steel.exponent: must be >= 1 (got 0.5)"
refused_scene "e > 1" 's/^restitution = .*/restitution = 1.2/' "material.steel.restitution: must be in [0, 1] (got 1.2)"
refused_scene "e < 0" 's/^restitution = .*/restitution = -0.2/' "material.steel.restitution: must be in [0, 1] (got -0.2)"
refused_scene "a tolerance too wide" 's/^law = .*/law = "lzb"\ntolerance = 7/' "impact.tolerance: must be in [1e-12, 0.01] (got 7)"
refused_scene "no threshold" 's/^law = .*/law = "lzb"\nthreshold = 0/' "impact.threshold: must be > 0 (got 0)"
# How many contacts an impact has is known when it comes.
sed 's/^law = .*/law = "restitution_matrix"\nmatrix = [[1, 0], [0, 1]]/' "$examples/bead_chain.toml" >bad.toml
call run bad.toml
expect_code 3 "a scene with a matrix of wrong size"
expect_error "must be 999 x 999, as many as the impact has contacts (got 2 x 2)" "a scene with a matrix of wrong size"

# same FILE WHOLE NAME: the same numbers, phase times apart.
same() {
  "$carom" export "$1" -o a.csv >/dev/null && "$carom" export "$2" -o b.csv >/dev/null
  cmp -s a.csv b.csv || fail "$3: states differ from the uninterrupted run"
  "$carom" export "$1" --what contacts -o a.csv >/dev/null && "$carom" export "$2" --what contacts -o b.csv >/dev/null
  cmp -s a.csv b.csv || fail "$3: contacts differ from the uninterrupted run"
  if command -v h5diff >/dev/null; then
    h5diff --exclude-path /diagnostics/phase_seconds --exclude-path /checkpoint "$1" "$2" >stdout 2>stderr ||
      fail "$3: h5diff finds differences"
  fi
}
call run cradle.toml -o parts.h5 --steps 137 --quiet
expect_code 0 "a part of the run of a system"
call run cradle.toml -o parts.h5 --resume --steps 301 --threads 2 --quiet
call run cradle.toml -o parts.h5 --resume --quiet
expect_code 0 "resuming the run of a system"
same parts.h5 whole.h5 "a resumed system"
call run cradle.toml -o threads.h5 --threads 2 --quiet
same threads.h5 whole.h5 "a system by two threads"
system_scene other.toml 's/^balls = .*/balls = 4/; s/^gap = .*/gap = 0/'
call run other.toml -o parts.h5 --resume
expect_code 2 "resuming another system"
expect_error "was written for another scene" "resuming another system"

# Killed at any moment. Long enough that the signal comes first; frames and checkpoints are dense.
system_scene long.toml 's/^duration = .*/duration = 1000/; s/^frame_every = .*/frame_every = 50\ncheckpoint_every = 37/'
for seconds in 0.3 0.5 0.8; do
  rm -f killed.h5
  timeout --foreground -s KILL $seconds "$carom" run long.toml -o killed.h5 >/dev/null 2>&1 </dev/null
  [[ -e killed.h5 ]] || continue # killed before its first checkpoint: there is nothing under the name
  call info killed.h5
  expect_code 0 "info on a killed system"
  steps=$("$carom" info killed.h5 --json | sed 's/.*"steps": \([0-9]*\),.*/\1/')
  call run long.toml -o killed.h5 --resume --steps $((steps + 500)) --quiet
  expect_code 0 "resuming a killed system"
  call run long.toml -o long_whole.h5 --steps $((steps + 500)) --quiet --overwrite
  same killed.h5 long_whole.h5 "a system killed after $seconds s and resumed"
done

finish
