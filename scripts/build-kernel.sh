#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Build a riscv64 guest kernel and print its build directory: usable as KDIR
# for modules, with the kernel itself in arch/riscv/boot/Image.
#
# The directory's name says what it is made from (source version, compiler,
# configuration). An interrupted build goes on where it stopped; a finished
# one is marked, and only marked ones are ever handed out.

. "$(dirname "$0")/lib.sh"

usage() {
	cat >&2 <<-END
	usage: scripts/build-kernel.sh [--config-only] plain|debug|6.1|newest

	  plain     Linux 6.12, the kernel of 'make run' and 'make check'
	  debug     the same with KASAN, lockdep and the other checkers
	  6.1       the oldest and
	  newest    the newest kernel that the driver is built on

	--config-only stops where modules can be compiled, without a kernel.
	END
	exit 2
}

goal=image
if [ "${1:-}" = --config-only ]; then
	goal=config
	shift
fi
[ $# -eq 1 ] || usage
kcfg=$IDMA_TOP/test/kernel
case $1 in
plain)	part=linux-6.12; fragments=("$kcfg"/{base,6.12}.config) ;;
debug)	part=linux-6.12; fragments=("$kcfg"/{base,6.12,debug}.config) ;;
6.1)	part=linux-6.1; fragments=("$kcfg"/{base,6.1}.config) ;;
newest)	part=linux-newest; fragments=("$kcfg"/{base,6.12}.config) ;;
*)	say "error: unknown kernel '$1'"; usage ;;
esac
flavour=$1

src=$("$IDMA_TOP/scripts/fetch.sh" "$part")
if [ -z "$src" ]; then	# a dry run
	say "would build the $flavour kernel"
	exit
fi
need riscv64-linux-gnu-gcc make flex bison bc
version=$(cat "$src/.idma-version")
wanted() { grep -hE '^CONFIG_' "${fragments[@]}"; }
# The number changes with the way the build below is done.
id=$( { echo 1 "$version"; riscv64-linux-gnu-gcc --version | head -n 1; wanted; } | key)
out=$IDMA_CACHE/kernel/$flavour-$id

done_already() {
	if [ -e "$out/.idma-$goal" ] || [ -e "$out/.idma-image" ]; then
		echo "$out"
		exit
	fi
}
done_already
if dry; then
	say "would build Linux $version ($flavour)"
	exit
fi
lock "kernel-$flavour-$id"
done_already

mkdir -p "$out"
log=$out/build.log
: >"$log"
kmake=(make -C "$src" O="$out" ARCH=riscv CROSS_COMPILE=riscv64-linux-gnu-
	KBUILD_BUILD_USER=idma KBUILD_BUILD_HOST=idma KBUILD_BUILD_TIMESTAMP=1970-01-01 -j "$JOBS")

if [ ! -e "$out/.idma-config" ]; then
	say "configuring Linux $version ($flavour)"
	wanted >"$out/wanted.config"
	run "$log" "${kmake[@]}" KCONFIG_ALLCONFIG="$out/wanted.config" allnoconfig
	# A symbol that does not exist, or whose dependencies are not met, is
	# dropped without a word. The last fragment that names a symbol wins.
	absent=$(awk -F= 'NR == FNR { want[$1] = $0; next } { have[$1] = $0 }
		END { for (s in want) if (have[s] != want[s]) print want[s] }' \
		"$out/wanted.config" "$out/.config" | sort)
	[ -z "$absent" ] || die "Linux $version does not take: $(paste -sd' ' <<<"$absent")"
	run "$log" "${kmake[@]}" modules_prepare
	touch "$out/.idma-config"
fi
if [ "$goal" = image ]; then
	say "building Linux $version ($flavour), log: $log"
	run "$log" "${kmake[@]}" Image modules
	touch "$out/.idma-image"
	# Kernels of other configurations or versions are not used any more.
	find "$IDMA_CACHE/kernel" -mindepth 1 -maxdepth 1 -name "$flavour-*" -printf '%T@ %p\n' |
		sort -rn | tail -n +4 | cut -d' ' -f2- | xargs -r rm -rf
fi
echo "$out"
