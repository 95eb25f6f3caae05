# What the scripts that drive the program share. Needs $carom; works in the folder $scratch, which it makes anew.
failures=0
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch" || exit 1
unset NO_COLOR

fail() {
  echo "FAILED: $1"
  sed 's/^/    /' stdout stderr 2>/dev/null | head -20
  failures=$((failures + 1))
}
call() {
  "$carom" "$@" >stdout 2>stderr </dev/null
  code=$?
}
expect_code() { [[ $code == "$1" ]] || fail "$2: exit code $code instead of $1"; }
expect_error() { grep -qF -- "$1" stderr || fail "$2: the error does not say \"$1\""; }
expect_output() { grep -qF -- "$1" stdout || fail "$2: the output does not say \"$1\""; }
expect_absent() { [[ ! -e $1 ]] || fail "$2: left $1 behind"; }

# The last words of a script.
finish() {
  if [[ $failures == 0 ]]; then
    echo "all as it should be"
    cd / && rm -rf "$scratch"
  fi
  exit $((failures > 0))
}
