#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run libFuzzer targets for a while and print TAP.
#
# usage: run-fuzz.sh BUILD SECONDS TARGET...    SECONDS are shared by all

build=$1
total=$2
shift 2
each=$(((total + $# - 1) / $#))
n=0
bad=0

echo "TAP version 13"
for target in "$@"; do
    n=$((n + 1))
    log=$build/$target.log
    mkdir -p "$build/found/$target"
    "$build/$target" -max_total_time=$each -max_len=2048 -verbosity=1 \
        -artifact_prefix="$build/$target-" -print_final_stats=1 \
        "$build/found/$target" "corpus/$target" > "$log" 2>&1
    status=$?
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    inputs=$(find "corpus/$target" -type f | wc -l)
    coverage=$(sed -n 's/.* \(cov: [0-9]*\) .*/\1/p' "$log" | tail -n 1)
    if [ "$status" -eq 0 ] && [ "${runs:-0}" -gt "$inputs" ] &&
       [ "$inputs" -gt 0 ]; then
        echo "ok $n - $target: $each s, $runs inputs, $inputs of them kept ones"
        echo "    # ${coverage:-coverage not known}"
    else
        echo "not ok $n - $target: exit status $status," \
             "${runs:-0} inputs, $inputs of them kept ones"
        tail -n 40 "$log" | sed 's/^/    # /'
        bad=$((bad + 1))
    fi
done
echo "1..$n"
[ "$bad" -eq 0 ]
