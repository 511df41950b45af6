#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Build the driver's modules out of tree against a guest kernel and print the
# folder they lie in, together with the modules of the kernel's own that the
# guest uses (dmatest and others).
#
# The checkout is not built in: its sources go to a work tree in the cache that
# keeps its object files.

. "$(dirname "$0")/lib.sh"

flavour=${1:-plain}
kdir=$("$IDMA_TOP/scripts/build-kernel.sh" "$flavour")
if [ -z "$kdir" ]; then	# a dry run
	say "would build the modules"
	exit
fi
sources() {
	(cd "$1" && find . -type f \( -name '*.[chS]' -o -name Kbuild -o -name Makefile -o -name Kconfig \) \
		! -name '*.mod.c' -print0 | sort -z | xargs -0r sha256sum)
}
done_already() {
	out=$IDMA_CACHE/modules/out/$( { echo 2 "$kdir"; cat; } | key)
	if [ -e "$out/idma.ko" ]; then
		touch "$out"
		echo "$out"
		exit
	fi
}
[ -e "$IDMA_TOP/Kbuild" ] || die "no Kbuild file in $IDMA_TOP: there is no driver to build"

# Somebody may be editing the driver: what is built is a copy, and the copy is
# what the result is named after.
tmpdir "$IDMA_CACHE/modules/snapshot"
snapshot=$TMP
for s in Kbuild drivers include test/modules; do
	[ ! -e "$IDMA_TOP/$s" ] || (cd "$IDMA_TOP" && cp -r --parents "$s" "$snapshot/")
done
done_already < <(sources "$snapshot")
if dry; then
	say "would build the modules"
	exit
fi

need riscv64-linux-gnu-gcc make rsync
work=$IDMA_CACHE/modules/work-$(basename "$kdir")
lock "modules-$(basename "$kdir")"
done_already < <(sources "$snapshot")
mkdir -p "$work"
log=$work/build.log
: >"$log"
run "$log" rsync -rc --delete --exclude='*.mod.c' --include='*/' --include='*.[chS]' --include='Kbuild' \
	--include='Makefile' --include='Kconfig' --exclude='*' "$snapshot/" "$work/"
say "building the modules for Linux $(cat "$kdir/include/config/kernel.release" 2>/dev/null) ($flavour)"
find "$work" -name '*.ko' -delete
run "$log" make -C "$kdir" M="$work" ARCH=riscv CROSS_COMPILE=riscv64-linux-gnu- -j "$JOBS" \
	IDMA_TEST_MODULES=y modules || {
	grep -E 'error:|warning:|ERROR|WARNING' "$log" | head -n 30 >&2
	die "the modules do not build"
}
grep -E 'warning:|WARNING: modpost' "$log" >&2 || true
tmpdir "$out"
find "$work" -name '*.ko' -exec cp -t "$TMP" {} +
find "$kdir" -name '*.ko' -exec cp -t "$TMP" {} +
[ -e "$TMP/idma.ko" ] || die "the build made no idma.ko; see $log"
rm -rf "$out"
mv "$TMP" "$out"
find "$IDMA_CACHE/modules/out" -mindepth 1 -maxdepth 1 -name '????????????????' -printf '%T@ %p\n' |
	sort -rn | tail -n +21 | cut -d' ' -f2- | xargs -r rm -rf
echo "$out"
