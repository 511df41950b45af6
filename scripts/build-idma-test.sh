#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Build idma-test as a static riscv64 program for the guest and print its path.
# Built from a copy, named after what is in it: somebody may be editing.

. "$(dirname "$0")/lib.sh"

[ $# -eq 0 ] || { echo "usage: scripts/build-idma-test.sh" >&2; exit 2; }
libnl=$("$IDMA_TOP/scripts/build-libnl.sh")
jansson=$("$IDMA_TOP/scripts/build-jansson.sh")
if [ -z "$libnl" ] || [ -z "$jansson" ]; then	# a dry run
	say "would build idma-test"
	exit
fi
need riscv64-linux-gnu-gcc make
tmpdir "$IDMA_CACHE/idma-test/snapshot"
snapshot=$TMP
mkdir -p "$snapshot/tools/idma-test" "$snapshot/include"
cp "$IDMA_TOP"/tools/idma-test/{Makefile,*.[ch]} "$snapshot/tools/idma-test/"
cp -r "$IDMA_TOP/include/uapi" "$snapshot/include/"
out=$IDMA_CACHE/idma-test/out/$( { echo 1 "$libnl" "$jansson"; riscv64-linux-gnu-gcc --version | head -n 1
	cd "$snapshot" && content tools include; } | key)
if [ ! -e "$out/idma-test" ]; then
	if dry; then
		say "would build idma-test"
		exit
	fi
	lock "idma-test-$(basename "$out")"
fi
if [ ! -e "$out/idma-test" ]; then
	say "building idma-test for riscv64"
	log=$snapshot/build.log
	run "$log" nice make -C "$snapshot/tools/idma-test" -j "$JOBS" CROSS_COMPILE=riscv64-linux-gnu- STATIC=1 \
		LIBNL="$libnl" JANSSON="$jansson" idma-test
	tmpdir "$out"
	cp "$snapshot/tools/idma-test/idma-test" "$TMP/"
	rm -rf "$out"
	mv "$TMP" "$out"
	# Builds of other sources are not used any more.
	find "$IDMA_CACHE/idma-test/out" -mindepth 1 -maxdepth 1 -name '????????????????' -printf '%T@ %p\n' |
		sort -rn | tail -n +9 | cut -d' ' -f2- | xargs -r rm -rf
fi
echo "$out/idma-test"
