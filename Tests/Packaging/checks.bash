# Shared by the tests of packages and images.

passed=0 failed=0
export check_log=${check_log:-$(mktemp)}

# check WHAT COMMAND...: runs a command that must succeed.
check() {
  local what=$1
  shift
  if "$@" > "$check_log" 2>&1; then
    passed=$((passed + 1))
    echo "ok    $what"
  else
    failed=$((failed + 1))
    echo "FAIL  $what"
    tail -n 20 "$check_log" | sed 's/^/      /'
  fi
}

# needs WHAT COMMAND...: skips the whole test on a machine where a command fails, and says so.
needs() {
  local what=$1
  shift
  if "$@" > "$check_log" 2>&1; then return; fi
  echo "SKIPPED ${0##*/}: it needs $what, which this machine does not allow: $(tail -n 1 "$check_log")"
  echo "0 passed, 0 failed, 1 skipped"
  exit
}
may_mount() { unshare --mount --propagation private true; }

# Prints the count, in a form that CI reads, and says how it went.
finish() {
  rm "$check_log"
  echo "$passed passed, $failed failed"
  [ "$failed" = 0 ]
}

# becomes_true SECONDS COMMAND...
becomes_true() {
  local end=$((SECONDS + $1))
  shift
  until "$@" > /dev/null 2>&1; do
    [ "$SECONDS" -lt "$end" ] || { "$@"; return; }
    sleep 0.1
  done
}
