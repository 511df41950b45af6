# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Checks that report in TAP: one line each, on failure with what the check said
# below it, at the end the sum. Sourced after lib.sh by scripts that are lists of
# checks.

tap_n=0
tap_failed=0

# tap_check NAME CMD...: CMD's exit status decides. CMD runs in a subshell where
# every failing command ends it.
tap_check() {
	local name=$1 rc=0
	shift
	tap_n=$((tap_n + 1))
	# Not "if (...)" or "(...) ||": either would switch -e off inside
	set +e
	(set -e; "$@") >"$TAP_DIR/log" 2>&1 </dev/null
	rc=$?
	set -e
	if [ $rc -eq 0 ]; then
		echo "ok $tap_n - $name"
	else
		tap_failed=$((tap_failed + 1))
		echo "not ok $tap_n - $name"
		sed 's/^/    # /' "$TAP_DIR/log"
	fi
}

tap_end() {
	echo "1..$tap_n"
	echo "$((tap_n - tap_failed)) passed, $tap_failed failed, 0 skipped"
	[ $tap_n -gt 0 ] && [ $tap_failed -eq 0 ]
}

TAP_DIR=$(mktemp -d)
IDMA_TMP+=("$TAP_DIR")
echo "TAP version 14"
