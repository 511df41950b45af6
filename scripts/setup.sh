#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Install the Debian packages that the builds and checks need, saying which.
# With DRYRUN=1 only say it.
#
# usage: scripts/setup.sh [run|check]	what for (default: check, which is all)

. "$(dirname "$0")/lib.sh"

build=(
	# compilers and what the kernel's and QEMU's builds run on
	gcc libc6-dev gcc-riscv64-linux-gnu make patch flex bison bc perl
	python3 python3-venv ninja-build cmake pkg-config libglib2.0-dev libfdt-dev device-tree-compiler
	# fetching, unpacking, making the guest
	dpkg-dev debian-archive-keyring ca-certificates xz-utils cpio rsync
)
check=(shellcheck yamllint pyflakes3 codespell python3-docutils python3-jsonschema python3-yaml
	libelf-dev git
	# idma-test for this machine, and its manual
	libnl-3-dev libnl-genl-3-dev libjansson-dev man-db
	# idma-sim's plots, and a judge of its waveforms; the fuzzers
	gnuplot-nox gtkwave clang libclang-rt-dev)

case ${1:-check} in
run)	packages=("${build[@]}") ;;
check)	packages=("${build[@]}" "${check[@]}") ;;
*)	say "error: unknown purpose '$1'"
	echo "usage: scripts/setup.sh [run|check]" >&2
	exit 2 ;;
esac

is_debian || die "this is not a Debian system: packages and sources come from Debian's archive through apt;" \
	"use Debian 12 or 13 (a container will do)"
installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${packages[@]}" 2>/dev/null |
	awk '$2 == "installed" { print $1 }' || true)
missing=()
for p in "${packages[@]}"; do
	grep -qxF "$p" <<<"$installed" || missing+=("$p")
done
[ ${#missing[@]} -gt 0 ] || exit 0
if dry; then
	say "would install with apt-get: ${missing[*]}"
	exit 0
fi
[ "$(id -u)" -eq 0 ] || die "packages are missing and only root can install them; run this, then try again:
  apt-get update && apt-get install --no-install-recommends ${missing[*]}"

say "installing with apt-get: ${missing[*]}"
mkdir -p "$IDMA_CACHE"
lock setup
log=$IDMA_CACHE/setup.log
: >"$log"
export DEBIAN_FRONTEND=noninteractive
install=(apt-get -q -y -o DPkg::Lock::Timeout=600 install --no-install-recommends)
# The package lists may be absent (fresh container) or too old to be of use.
run "$log" apt-get -q -o DPkg::Lock::Timeout=600 update
run "$log" "${install[@]}" "${missing[@]}" || die "apt-get cannot install them, see above"
