# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What the scripts of this folder share: the cache, progress, locks, children
# that die with their script, and apt pointed at other Debian suites without
# touching the system's own configuration. Sourced, never run.

set -euo pipefail
# Not only children of ours read these: a builder with another locale would
# otherwise sort, translate and therefore key differently.
export LC_ALL=C

IDMA_TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
IDMA_CACHE=${IDMA_CACHE:-${XDG_CACHE_HOME:-${HOME:?HOME is not set; set IDMA_CACHE}/.cache}/idma-linux}
JOBS=${JOBS:-$(nproc)}
export IDMA_TOP IDMA_CACHE JOBS

# Progress goes to stderr: stdout belongs to the result (a path).
say() { printf '%s: %s\n' "${IDMA_WHO:-$(basename "$0" .sh)}" "$*" >&2; }
die() { say "error: $*"; exit 1; }

need() {
	local c missing=()
	for c in "$@"; do
		command -v "$c" >/dev/null 2>&1 || missing+=("$c")
	done
	[ ${#missing[@]} -eq 0 ] ||
		die "missing programs: ${missing[*]}; run 'make setup' first"
}

# --- children and temporary files -------------------------------------------

IDMA_CHILD=
IDMA_TMP=()

_idma_cleanup() {
	local d
	# A child that is killed between fork and exec still has our traps.
	[ "$BASHPID" = $$ ] || return 0
	# A child that is killed between its fork and its exec still has our
	# traps; what they clean up is not its own.
	[ "$BASHPID" = "$$" ] || return 0
	if [ -n "$IDMA_CHILD" ]; then
		kill "$IDMA_CHILD" 2>/dev/null || true
		wait "$IDMA_CHILD" 2>/dev/null || true
	fi
	for d in ${IDMA_TMP[@]+"${IDMA_TMP[@]}"}; do
		rm -rf "$d"
	done
}
trap _idma_cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP

# run LOG CMD...: run a long command with its output in LOG; now and then show
# how far it is, on failure the end of LOG. In the background and waited for,
# so that a signal to this script ends the command at once instead of after it
# is done.
run() {
	local log=$1 rc=0 tick ended since=$SECONDS lines=${IDMA_LOG_LINES:-40}
	shift
	"$@" >>"$log" 2>&1 </dev/null &
	IDMA_CHILD=$!
	while :; do
		sleep 15 &
		tick=$!
		rc=0
		wait -n -p ended "$IDMA_CHILD" "$tick" || rc=$?
		[ "$ended" = "$tick" ] || break
		say "... $((SECONDS - since)) s, $(_idma_last "$log")"
	done
	IDMA_CHILD=
	kill "$tick" 2>/dev/null || true
	wait "$tick" 2>/dev/null || true
	if [ "$rc" -ne 0 ] && [ "$lines" -gt 0 ]; then
		say "failed ($rc): $*"
		say "the last lines of $log:"
		tail -n "$lines" "$log" >&2
	fi
	return "$rc"
}

# The last line of a log that fits on a line of a terminal.
_idma_last() { tail -c 2000 "$1" | tr '\r\t' '\n ' | grep -v '^ *$' | tail -n 1 | cut -c1-90; }

# tmpdir DIR: make DIR.tmp.PID beside DIR (so that a rename is atomic), removed
# at exit unless it has been renamed by then. Sets TMP.
tmpdir() {
	TMP=$1.tmp.$$
	rm -rf "$TMP"
	mkdir -p "$TMP"
	IDMA_TMP+=("$TMP")
}

# lock NAME: one builder per artefact. Held until the script ends.
lock() {
	local fd name=${1//\//-}
	mkdir -p "$IDMA_CACHE/lock"
	exec {fd}>"$IDMA_CACHE/lock/$name"
	if ! flock -n "$fd"; then
		say "waiting for another build of $name"
		flock "$fd"
	fi
}

# key: a short name for what comes in on stdin.
key() { sha256sum | cut -c1-16; }

# content PATH...: one line per file below the paths: name and hash, sorted.
content() {
	local p
	for p in "$@"; do
		[ -e "$p" ] || continue
		(cd "$(dirname "$p")" &&
		 find "$(basename "$p")" -type f ! -name '*.o' -print0 | sort -z | xargs -0r sha256sum)
	done
}

# --- Debian suites besides the system's own ---------------------------------

is_debian() { [ -e /etc/debian_version ] && command -v apt-get >/dev/null 2>&1; }

# The archive that this machine already uses, as apt knows it.
debian_mirror() {
	local codename uri
	if [ -n "${IDMA_DEBIAN_MIRROR:-}" ]; then
		echo "$IDMA_DEBIAN_MIRROR"
		return
	fi
	is_debian || die "this is not a Debian system: the sources come from Debian's archive through apt;" \
		"use Debian 12 or 13 (a container will do)"
	codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	# shellcheck disable=SC2016 # the format is apt's, not the shell's
	uri=$(apt-get indextargets --no-release-info --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' \
			'Created-By: Packages' |
		awk -v c="$codename" '$2 == "main" && !uri && ($1 == c || $1 == "stable" || $1 == "oldstable" ||
			$1 == "testing" || $1 == "unstable" || $1 == "sid") { uri = $3 } END { print uri }')
	[ -n "$uri" ] || die "apt knows no Debian archive with the suite '$codename' and the component 'main';" \
		"add it to /etc/apt/sources.list or set IDMA_DEBIAN_MIRROR to an archive's URL"
	echo "$uri"
}

# apt_conf SUITE [ARCH]: a private apt configuration for one suite, its lists
# fetched; sets CONF. One configuration per suite: a suite whose mirror is in
# the middle of a sync does not get in the way of the others.
apt_conf() {
	local suite=$1 arch=${2:-$(dpkg --print-architecture)}
	local dir=$IDMA_CACHE/apt/$suite-$arch mirror keyring fd
	mirror=$(debian_mirror)
	for keyring in /usr/share/keyrings/debian-archive-keyring.{pgp,gpg} ''; do
		[ -e "$keyring" ] && break
	done
	[ -n "$keyring" ] || die "no Debian archive keyring; install the package debian-archive-keyring"
	mkdir -p "$dir"/{lists/partial,cache/archives/partial,state} "$IDMA_CACHE/lock"
	exec {fd}>"$IDMA_CACHE/lock/apt-$suite-$arch"
	flock "$fd"
	CONF=$dir/apt.conf
	: >>"$dir/status"
	# The system's own drop-ins (proxies, certificates) stay in force; hooks
	# that the system hangs on its own updates do not. To be loaded with -c,
	# which apt reads after everything else.
	cat >"$CONF" <<-END
	Dir::Etc::sourcelist "$dir/sources.list";
	Dir::Etc::sourceparts "/dev/null";
	Dir::Etc::preferences "/dev/null";
	Dir::Etc::preferencesparts "/dev/null";
	Dir::State "$dir/state";
	Dir::State::lists "$dir/lists";
	Dir::State::status "$dir/status";
	Dir::Cache "$dir/cache";
	APT::Sandbox::User "root";
	APT::Architecture "$arch";
	#clear APT::Architectures;
	APT::Architectures { "$arch"; };
	Acquire::Languages "none";
	Acquire::Retries "3";
	#clear APT::Update::Pre-Invoke;
	#clear APT::Update::Post-Invoke;
	#clear APT::Update::Post-Invoke-Success;
	END
	cat >"$dir/sources.list.new" <<-END
	deb [arch=$arch signed-by=$keyring] $mirror $suite main
	deb-src [signed-by=$keyring] $mirror $suite main
	END
	if ! cmp -s "$dir/sources.list.new" "$dir/sources.list" || [ ! -e "$dir/fresh" ] ||
	   [ -n "$(find "$dir/fresh" -mmin +720)" ]; then
		say "reading the package lists of $suite ($arch)"
		rm -f "$dir/fresh"
		mv "$dir/sources.list.new" "$dir/sources.list"
		run "$dir/update.log" apt-get -c "$CONF" -q update || return 1
		touch "$dir/fresh"
	fi
	rm -f "$dir/sources.list.new"
	exec {fd}>&-
}

# DRYRUN=1: say what would be done, do nothing.
dry() { [ "${DRYRUN:-0}" != 0 ] && [ -n "${DRYRUN:-}" ]; }
