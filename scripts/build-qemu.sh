#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Build QEMU with the iDMA device and print the path of qemu-system-riscv64.
# Beside it lie the device's qtests (qtest/) and the build's log.
#
# One work tree per QEMU version and variant keeps its object files, so that a
# change of the device rebuilds only what depends on it. What comes out is
# kept by content: a checkout with the same device gets it at once.

. "$(dirname "$0")/lib.sh"

variant=${1:-plain}
configure=(
	--target-list=riscv64-softmmu
	--without-default-features
	--enable-tcg
	--enable-fdt=system
	--disable-install-blobs
	--disable-download
	--disable-debug-info
	--python=/usr/bin/python3
)
case $variant in
plain)	;;
asan)	configure+=(--enable-asan --enable-ubsan) ;;
*)	say "error: unknown variant '$variant'"
	echo "usage: scripts/build-qemu.sh [plain|asan]" >&2
	exit 2 ;;
esac

device=$IDMA_TOP/qemu-device
src=$("$IDMA_TOP/scripts/fetch.sh" qemu)
if [ -z "$src" ]; then	# a dry run
	say "would build QEMU ($variant)"
	exit
fi
base=$( { cat "$src/.idma-version"; printf '%s\n' "$variant" "${configure[@]}"; } | key)
inputs() {
	echo 2 "$base"	# the number changes with the way the build below is done
	content "$1"/{hw,include,engine,qtest,patches} | grep -v ' engine/test/' || true
}
done_already() {
	out=$IDMA_CACHE/qemu/out/$(inputs "$1" | key)
	if [ -x "$out/qemu-system-riscv64" ]; then
		touch "$out"
		echo "$out/qemu-system-riscv64"
		exit
	fi
}
done_already "$device"
if dry; then
	say "would build QEMU $(cat "$src/.idma-version") ($variant)"
	exit
fi

need gcc ninja patch pkg-config flex bison dtc
lock "qemu-$base"
# Somebody may be editing the device: what is built is a copy, and the copy is
# what the result is named after.
work=$IDMA_CACHE/qemu/work-$base
mkdir -p "$work"
tmpdir "$work/device"
for part in hw include engine qtest patches; do
	[ ! -d "$device/$part" ] || cp -r "$device/$part" "$TMP/"
done
device=$TMP
done_already "$device"
meson=$("$IDMA_TOP/scripts/fetch.sh" meson)
export PYTHONPATH=$meson/usr/lib/python3/dist-packages
log=$work/build.log
: >"$log"

# The tree is made of hard links to the fetched one: files are only ever
# replaced, never written to.
if [ ! -d "$work/src" ]; then
	tmpdir "$work/src"
	cp -al "$src/." "$TMP/"
	mv "$TMP" "$work/src"
fi

# What is ours, complete, in a folder of its own ...
tmpdir "$work/overlay"
overlay=$TMP
mine() {	# FROM-DIR TO-DIR NAME-PATTERN...
	local from=$1 to=$2 f pat
	shift 2
	for pat in "$@"; do
		for f in "$from"/$pat; do
			[ -f "$f" ] || continue
			install -D -m 644 "$f" "$overlay/$to/$(basename "$f")"
		done
	done
}
while read -r dir; do
	mine "$device/$dir" "$dir" '*'
done < <(cd "$device" 2>/dev/null && find hw include -type d 2>/dev/null)
mine "$device/engine" hw/dma/idma-engine '*.[ch]' meson.build
mine "$device/qtest" tests/qtest '*.[ch]'
series=()
if [ -e "$device/patches/series" ]; then
	mapfile -t series < <(sed 's/#.*//; s/[[:space:]]*$//' "$device/patches/series" | grep -v '^$')
fi
for p in ${series[@]+"${series[@]}"}; do
	[ -e "$device/patches/$p" ] || die "qemu-device/patches/series names $p, which does not exist"
	while read -r f; do
		if [ -e "$src/$f" ] && [ ! -e "$overlay/$f" ]; then
			install -D -m 644 "$src/$f" "$overlay/$f"
		fi
	done < <(sed -nE 's,^(---|\+\+\+) [ab]/([^[:space:]]+).*,\2,p' "$device/patches/$p")
	run "$log" patch -d "$overlay" -p1 --no-backup-if-mismatch -i "$device/patches/$p" ||
		die "qemu-device/patches/$p does not apply to QEMU $(cat "$src/.idma-version")"
done

# ... and then brought into the tree, changing no file whose content is right
# already (its time stamp is what ninja goes by).
(cd "$overlay" && find . -type f -printf '%P\n' | sort) >"$work/overlay.new"
touch "$work/overlay.list"
while read -r f; do
	if [ -e "$src/$f" ]; then
		cp --remove-destination "$src/$f" "$work/src/$f"
	else
		rm -f "$work/src/$f"
	fi
done < <(comm -23 "$work/overlay.list" "$work/overlay.new")
sort -u "$work/overlay.list" "$work/overlay.new" -o "$work/overlay.list"
while read -r f; do
	cmp -s "$overlay/$f" "$work/src/$f" && continue
	mkdir -p "$(dirname "$work/src/$f")"
	cp --remove-destination "$overlay/$f" "$work/src/$f"
done <"$work/overlay.new"
mv "$work/overlay.new" "$work/overlay.list"

# Who interrupts ninja while it makes its own file anew leaves none behind. The
# last good one is as old as before, so that it is made anew again; to configure
# from nothing would compile everything anew, too.
if [ ! -e "$work/build/build.ninja" ] && [ -e "$work/build.ninja.good" ] && [ -d "$work/build" ]; then
	cp -p "$work/build.ninja.good" "$work/build/build.ninja"
fi
if [ ! -e "$work/build/build.ninja" ]; then
	say "configuring QEMU $(cat "$src/.idma-version") ($variant)"
	rm -rf "$work/build"
	mkdir "$work/build"
	run "$log" env -C "$work/build" "$work/src/configure" "${configure[@]}" || {
		rm -rf "$work/build"
		die "QEMU's configure failed"
	}
fi
tests=()
for f in "$device"/qtest/*.c; do
	[ -e "$f" ] && grep -qE '^int main\(' "$f" && tests+=("tests/qtest/$(basename "$f" .c)")
done
say "building QEMU ($variant), log: $log"
run "$log" ninja -C "$work/build" -j "$JOBS" qemu-system-riscv64 ${tests[@]+"${tests[@]}"} || {
	grep -nE '(error|warning):' "$log" | head -n 20 >&2
	die "QEMU does not build"
}
ln -f "$work/build/build.ninja" "$work/build.ninja.good"
grep -E "(hw/dma/idma|idma-engine|hyperlink|qtest/idma).*warning:" "$log" >&2 || true

tmpdir "$out"
cp "$work/build/qemu-system-riscv64" "$TMP/"
mkdir "$TMP/qtest"
for f in ${tests[@]+"${tests[@]}"}; do
	cp "$work/build/$f" "$TMP/qtest/"
done
cp "$log" "$TMP/"
rm -rf "$out"
mv "$TMP" "$out"
# Old results go: whoever edits the device makes a new one every few minutes.
find "$IDMA_CACHE/qemu/out" -mindepth 1 -maxdepth 1 -name '????????????????' -printf '%T@ %p\n' |
	sort -rn | tail -n +21 | cut -d' ' -f2- | xargs -r rm -rf
echo "$out/qemu-system-riscv64"
