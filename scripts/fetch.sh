#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Fetch one third-party part from Debian's archive and print where it lies
# unpacked. Parts are named, never their versions: a mirror drops old ones, so
# the newest that a suite offers is taken once and then kept. Remove the folder
# under $IDMA_CACHE/src to take a newer one.

. "$(dirname "$0")/lib.sh"

usage() {
	cat >&2 <<-END
	usage: scripts/fetch.sh PART

	Prints the path of the unpacked part, fetching it when it is not there.
	  qemu          source of QEMU 10.0, with Debian's patches
	  linux-6.12    kernel sources: the main one, the oldest and the newest that
	  linux-6.1     the driver is kept building on
	  linux-newest
	  libnl         source of libnl3, with Debian's patches
	  jansson       source of the JSON library jansson, likewise
	  meson         meson >= 1.5 and what QEMU's build wants from Python, unpacked
	  busybox       static riscv64 busybox, unpacked
	  opensbi       RISC-V firmware, unpacked
	  guest-python  riscv64 Python with PyYAML and all that it runs on, unpacked
	  dt-schema     the device tree checker, newer than any release has it, with
	                all that it runs on; its programs are in bin/
	  sparse        the semantic checker, new enough to know riscv's -march
	                names; in bin/
	END
	exit 2
}

[ $# -eq 1 ] || usage
part=$1

# source_from VERSION-REGEX PACKAGE SUITE...: fetch a source package from the
# first suite that has a matching version, the newest of these. Sets version;
# the files are in $TMP/dl. Mirrors list versions whose files they no longer or
# not yet have, so the next older one gets a turn before the next suite.
source_from() {
	local re=$1 pkg=$2 suite
	shift 2
	for suite in "$@"; do
		apt_conf "$suite" || continue
		for version in $(apt-cache -c "$CONF" showsrc --only-source "$pkg" |
				awk -v re="$re" '$1 == "Version:" && $2 ~ re { print $2 }' |
				sort -urV); do
			say "fetching the source of $pkg $version from $suite"
			mkdir -p "$TMP/dl"
			if IDMA_LOG_LINES=0 run "$log" env -C "$TMP/dl" apt-get -c "$CONF" -q \
					${only:+"$only"} --download-only source "$pkg=$version"; then
				return
			fi
			say "the archive does not have $pkg $version"
			rm -rf "$TMP/dl"
		done
	done
	die "none of the suites $* gives a source package $pkg whose version matches '$re'"
}

# debs_from ARCH SUITE PACKAGE...: unpack binary packages into $TMP/tree. Sets
# version.
debs_from() {
	local arch=$1 suite=$2 deb
	shift 2
	apt_conf "$suite" "$arch" || die "cannot read the package lists of $suite, see above"
	mkdir -p "$TMP/dl" "$TMP/tree"
	say "fetching $* from $suite"
	run "$log" env -C "$TMP/dl" apt-get -c "$CONF" -q download "$@" ||
		die "$suite does not give the packages $*"
	for deb in "$TMP"/dl/*.deb; do
		dpkg-deb -x "$deb" "$TMP/tree"
		# shellcheck disable=SC2016 # the format is dpkg's, not the shell's
		version+=${version:+ }$(dpkg-deb -W --showformat='${Package}_${Version}' "$deb")
	done
}

# root_from ARCH SUITE... -- PACKAGE PROGRAM...: unpack a package with all that
# it depends on, the interpreter and the C library included, from the first suite
# that has it, and wrap its programs: so a package of a newer release runs here
# without anything being installed. Sets version.
root_from() {
	local arch=$1 suites=() suite deb prog
	shift
	while [ "$1" != -- ]; do
		suites+=("$1")
		shift
	done
	shift
	for suite in "${suites[@]}"; do
		apt_conf "$suite" "$arch" || continue
		say "fetching $1 and what it needs from $suite"
		mkdir -p "$TMP/dl/partial"
		run "$log" apt-get -c "$CONF" -q -y --no-install-recommends --download-only \
			-o Dir::Cache::archives="$TMP/dl" install "$1" && break
		say "$suite does not give $1"
		rm -rf "$TMP/dl"
	done
	[ -d "$TMP/dl" ] || die "none of the suites ${suites[*]} gives the package $1"
	mkdir -p "$TMP/tree"
	for deb in "$TMP"/dl/*.deb; do
		dpkg-deb -x "$deb" "$TMP/tree"
	done
	# shellcheck disable=SC2016 # the format is dpkg's, not the shell's
	version=$(dpkg-deb -W --showformat='${Package}_${Version}' "$TMP/dl/$1"_*.deb)
	shift
	wrap "$@"
}

# wrap PROGRAM...: put wrappers into $TMP/tree/bin that run the tree's programs
# with the tree's libraries and, if they are scripts, its Python.
wrap() {
	local prog
	mkdir -p "$TMP/tree/bin"
	for prog in "$@"; do
		[ -e "$TMP/tree/usr/bin/$prog" ] || die "$version has no program $prog"
		cat >"$TMP/tree/bin/$prog" <<-'END'
		#!/bin/sh
		# A program of another Debian release, run with that release's libraries.
		root=$(dirname "$(dirname "$(readlink -f "$0")")")
		prog=$root/usr/bin/$(basename "$0")
		for ld in "$root"/usr/lib*/ld-linux*.so.* "$root"/usr/lib/*/ld-linux*.so.*; do
			[ -e "$ld" ] && break
		done
		libs=$(printf '%s:' "$root"/usr/lib/*-linux-gnu*)
		set -- "$prog" "$@"
		if [ "$(head -c 2 "$prog")" = '#!' ]; then
			PYTHONHOME=$root/usr PYTHONNOUSERSITE=1 PYTHONDONTWRITEBYTECODE=1
			export PYTHONHOME PYTHONNOUSERSITE PYTHONDONTWRITEBYTECODE
			set -- "$root/usr/bin/python3" "$@"
		fi
		exec "$ld" --library-path "${libs%:}" "$@"
		END
		chmod +x "$TMP/tree/bin/$prog"
	done
}

linux() {
	only=--tar-only source_from "$@"
	say "unpacking linux $version"
	mkdir "$TMP/tree"
	run "$log" tar -C "$TMP/tree" --strip-components=1 -xf "$TMP"/dl/linux_*.orig.tar.xz
}

debian_source() {
	need dpkg-source patch
	only='' source_from "$@"
	say "unpacking $2 $version"
	run "$log" dpkg-source --no-check -x "$TMP"/dl/*.dsc "$TMP/tree"
}

fetch() {
	case $part in
	qemu)		debian_source '^1:10\.0\.' qemu trixie bookworm-backports ;;
	linux-6.12)	linux '^6\.12\.' linux trixie bookworm-backports ;;
	linux-6.1)	linux '^6\.1\.' linux bookworm ;;
	linux-newest)	linux '^[0-9]' linux sid trixie-backports trixie ;;
	libnl)		debian_source '^3\.' libnl3 trixie bookworm sid ;;
	jansson)	debian_source '^2\.' jansson trixie bookworm sid ;;
	meson)		debs_from "$native" trixie meson python3-pycotap ;;
	busybox)	debs_from riscv64 trixie busybox-static ;;
	opensbi)	debs_from "$native" trixie opensbi ;;
	guest-python)	root_from riscv64 trixie sid -- python3-yaml ;;
	dt-schema)	root_from "$native" testing sid -- dt-schema dt-doc-validate dt-extract-example \
				dt-mk-schema dt-validate ;;
	sparse)		debs_from "$native" testing sparse libc6
			wrap sparse ;;
	*)		say "error: unknown part '$part'"; usage ;;
	esac
}

dest=$IDMA_CACHE/src/$part
case $part in
*[!a-z0-9.-]*|'')
	say "error: unknown part '$part'"
	usage ;;
esac
if [ ! -e "$dest/.idma-version" ]; then
	if dry; then
		say "would fetch $part from Debian's archive"
		exit
	fi
	lock "fetch-$part"
fi
if [ ! -e "$dest/.idma-version" ]; then
	tmpdir "$dest"
	log=$TMP/log
	version=
	native=$(dpkg --print-architecture)
	fetch
	echo "$version" >"$TMP/tree/.idma-version"
	rm -rf "$dest"
	mv "$TMP/tree" "$dest"
	say "$part is $version"
fi
echo "$dest"
