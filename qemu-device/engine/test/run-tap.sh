#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run TAP programs one after the other, number their tests through, and sum up.
# An argument is a program, or a program with its own arguments.
# Exit status: 0 if nothing failed.

passed=0
failed=0
skipped=0

echo "TAP version 13"
for prog in "$@"; do
    echo "# ${prog%% *}"
    out=$(mktemp) || exit 1
    # shellcheck disable=SC2086 # a program and its arguments
    $prog > "$out"
    status=$?
    n_ok=$(grep -c '^ok ' "$out")
    n_bad=$(grep -c '^not ok ' "$out")
    n_skip=$(grep -c '^ok .*# SKIP' "$out")
    base=$((passed + failed + skipped))
    awk -v base="$base" '
        /^(not )?ok [0-9]+/ {
            i = ($1 == "ok") ? 2 : 3
            $i = $i + base
        }
        !/^1\.\./ { print }' "$out"
    # a program that died or printed no plan has failed beyond its tests
    if ! grep -q '^1\.\.[1-9]' "$out" ||
       { [ "$status" -ne 0 ] && [ "$n_bad" -eq 0 ]; }; then
        echo "not ok $((base + n_ok + n_bad + 1)) - ${prog%% *} ended early (status $status)"
        n_bad=$((n_bad + 1))
    fi
    rm -f "$out"
    passed=$((passed + n_ok - n_skip))
    failed=$((failed + n_bad))
    skipped=$((skipped + n_skip))
done
echo "1..$((passed + failed + skipped))"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
