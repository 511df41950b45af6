# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Build a library as a static archive for the guest's architecture. Sourced,
# after lib.sh, by the scripts that each build one.

# static_lib PART FILE COMMAND: fetch PART, build it for riscv64 and print the
# prefix it is installed in (include/ and lib/). FILE is what a good build leaves
# below the prefix. COMMAND is a function that builds in the current folder, a
# copy of the source, for $prefix, and installs below $dest.
static_lib() {
	local part=$1 check=$2 command=$3 src log prefix dest
	src=$("$IDMA_TOP/scripts/fetch.sh" "$part")
	if [ -z "$src" ]; then	# a dry run
		say "would build $part"
		return
	fi
	need riscv64-linux-gnu-gcc make
	prefix=$IDMA_CACHE/lib/$part-riscv64-$( { declare -f "$command"; cat "$src/.idma-version"
		riscv64-linux-gnu-gcc --version | head -n 1; } | key)
	if [ ! -e "$prefix/$check" ]; then
		if dry; then
			say "would build $part $(cat "$src/.idma-version")"
			return
		fi
		lock "lib-$part-riscv64"
	fi
	if [ ! -e "$prefix/$check" ]; then
		say "building $part $(cat "$src/.idma-version") for riscv64"
		tmpdir "$prefix"
		# shellcheck disable=SC2034 # COMMAND's
		log=$TMP/build.log
		dest=$TMP/dest
		cp -r "$src/." "$TMP/build/"
		cd "$TMP/build" || die "cannot enter $TMP/build"
		"$command"
		cd "$IDMA_TOP" || die "cannot enter $IDMA_TOP"
		[ -e "$dest$prefix/$check" ] || die "the build of $part made no $check"
		rm -rf "$prefix"
		mv "$dest$prefix" "$prefix"
	fi
	echo "$prefix"
}
