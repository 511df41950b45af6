#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Put the driver's folder into kernel trees as upstream would have it, and build
# it there with W=1, as modules and built in, on the oldest, the main and the
# newest kernel. A warning in our files is a failure.
#
# usage: scripts/in-tree-check.sh [6.1|6.12|newest ...]

. "$(dirname "$0")/lib.sh"
. "$IDMA_TOP/scripts/tap.sh"

need riscv64-linux-gnu-gcc make rsync
kernels=("$@")
[ $# -gt 0 ] || kernels=(6.1 6.12 newest)
declare -A flavours=([6.1]=6.1 [6.12]=plain [newest]=newest)

# prepare KERNEL: the tree with us in it. Sets tree and build.
prepare() {
	local src kdir work
	src=$("$IDMA_TOP/scripts/fetch.sh" "linux-$1")
	kdir=$("$IDMA_TOP/scripts/build-kernel.sh" --config-only "${flavours[$1]}")
	work=$IDMA_CACHE/in-tree/$1-$(basename "$kdir")
	lock "in-tree-$(basename "$work")"
	tree=$work/tree
	build=$work/build
	if [ ! -d "$tree" ]; then
		say "making a tree of Linux $(cat "$src/.idma-version") to put the driver into"
		tmpdir "$tree"
		cp -al "$src/." "$TMP/"
		mv "$TMP" "$tree"
	fi
	# Hard links: replace, never write to. The two lines that upstream gets:
	sed '/^endif/i source "drivers/dma/idma/Kconfig"\n' "$src/drivers/dma/Kconfig" >"$work/Kconfig"
	# shellcheck disable=SC2016 # this is make's
	{ cat "$src/drivers/dma/Makefile"; echo 'obj-$(CONFIG_PULP_IDMA) += idma/'; } >"$work/Makefile"
	local f
	for f in Kconfig Makefile; do
		cmp -s "$work/$f" "$tree/drivers/dma/$f" ||
			cp --remove-destination "$work/$f" "$tree/drivers/dma/$f"
	done
	rsync -rc --delete --include='*/' --include='*.[ch]' --include=Makefile --include=Kconfig \
		--exclude='*.mod.c' --exclude='*' "$IDMA_TOP/drivers/dma/idma/" "$tree/drivers/dma/idma/"
	if [ -d "$IDMA_TOP/include" ]; then
		rsync -rc "$IDMA_TOP/include/" "$tree/include/"
	fi
	mkdir -p "$build"
	grep -hE '^CONFIG_' "$kdir/wanted.config" >"$work/wanted"
}

kmake() {
	make -s -C "$tree" O="$build" ARCH=riscv CROSS_COMPILE=riscv64-linux-gnu- -j "$JOBS" "$@"
}

# build_as M|Y: configure and build the folder.
build_as() {
	local value=$1 s log=$build/idma.log refused=
	{
		cat "${build%/build}/wanted"
		# what our Kconfig offers, whatever it is called by now
		sed -n 's/^config //p' "$tree/drivers/dma/idma/Kconfig" | sed "s/.*/CONFIG_&=$value/"
	} >"$build/allow.config"
	kmake KCONFIG_ALLCONFIG="$build/allow.config" allnoconfig
	while read -r s; do
		grep -qE "^CONFIG_$s=[ym]" "$build/.config" || refused+=" $s"
	done < <(sed -n 's/^config //p' "$tree/drivers/dma/idma/Kconfig")
	if [ "$value" = y ]; then
		# these are modules or nothing
		refused=${refused/ PULP_IDMA_CONTRACT_TEST}
		refused=${refused/ PULP_IDMA_WINDOW_TEST}
	fi
	[ -z "$refused" ] || { echo "the kernel does not take:$refused"; return 1; }
	kmake prepare modules_prepare
	rm -f "$build"/drivers/dma/idma/*.o
	kmake W=1 drivers/dma/idma/ 2>&1 | tee "$log"
	[ "${PIPESTATUS[0]}" -eq 0 ]
	ls "$build"/drivers/dma/idma/idma-{core,desc64}.o
	! grep -E 'warning:|WARNING' "$log"
}

for k in "${kernels[@]}"; do
	[ -n "${flavours[$k]:-}" ] || die "unknown kernel '$k', only: ${!flavours[*]}"
	prepare "$k"
	version=$(cat "$("$IDMA_TOP/scripts/fetch.sh" "linux-$k")/.idma-version")
	say "building inside of Linux $version"
	tap_check "in-tree: the folder builds in Linux $version as modules, W=1" build_as m
	tap_check "in-tree: the folder builds in Linux $version built in, W=1" build_as y
done
tap_end
