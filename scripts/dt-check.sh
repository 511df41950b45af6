#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Check the device tree side: the binding with the kernel's own dt_binding_check
# and an up-to-date dt-schema, the device trees and overlays with dtc, what comes
# out of them against the binding, and that the binding refuses nodes that are
# wrong.
#
# usage: scripts/dt-check.sh [--tree] [linux-6.12|linux-newest]
#
# --tree only prints the path of a kernel tree that knows the binding. Linux 6.1
# is left out: its bindings do not know the RISC-V properties of today.

. "$(dirname "$0")/lib.sh"

only_tree=
if [ "${1:-}" = --tree ]; then
	only_tree=y
	shift
fi
kernel=${1:-linux-6.12}
case $kernel in
linux-6.12|linux-newest) ;;
*)	say "error: '$kernel' is no kernel to check against"
	echo "usage: scripts/dt-check.sh [--tree] [linux-6.12|linux-newest]" >&2
	exit 2 ;;
esac

need make gcc flex bison dtc fdtoverlay yamllint
linux=$("$IDMA_TOP/scripts/fetch.sh" "$kernel")
schema=$("$IDMA_TOP/scripts/fetch.sh" dt-schema)
export PATH=$schema/bin:$PATH

bindings=Documentation/devicetree/bindings
ours=dma/eth,idma.yaml
dts=$IDMA_TOP/dts
work=$IDMA_CACHE/dt-check/$kernel-$(cat "$linux/.idma-version" "$schema/.idma-version" | key)
tree=$work/tree
build=$work/build
processed=$build/$bindings/processed-schema.json
lock "dt-check-$(basename "$work")"

# A kernel tree that is links into the fetched one, except for the bindings,
# where ours goes. Reading all of the kernel's bindings takes half a minute, so
# the tree and what is built from it stay.
links_but() {
	local from=$1 to=$2 but=$3 f
	mkdir -p "$to"
	for f in "$from"/*; do
		[ "$(basename "$f")" = "$but" ] || ln -s "$f" "$to/"
	done
}

if [ ! -d "$tree" ]; then
	tmpdir "$tree"
	links_but "$linux" "$TMP" Documentation
	links_but "$linux/Documentation" "$TMP/Documentation" devicetree
	links_but "$linux/Documentation/devicetree" "$TMP/Documentation/devicetree" bindings
	cp -r "$linux/$bindings" "$TMP/$bindings"
	mv "$TMP" "$tree"
fi
cmp -s "$IDMA_TOP/$bindings/$ours" "$tree/$bindings/$ours" ||
	cp "$IDMA_TOP/$bindings/$ours" "$tree/$bindings/$ours"
prefixes=$tree/$bindings/vendor-prefixes.yaml
grep -q '"^eth,' "$prefixes" || sed -i -f "$IDMA_TOP/$bindings/vendor-prefixes-eth.sed" "$prefixes"
if [ -n "$only_tree" ]; then
	echo "$tree"
	exit
fi

qemu=$("$IDMA_TOP/scripts/build-qemu.sh")
. "$IDMA_TOP/scripts/tap.sh"

# --- the binding -------------------------------------------------------------

vendor_prefix() {
	[ "$(grep -c '"^eth,' "$prefixes")" -eq 1 ] ||
		{ echo "'^eth,' is not once in $prefixes"; return 1; }
}

# The kernel's rule succeeds whatever the checkers say, and keeps quiet about
# what it has already said: it is made to start anew and judged by its words.
binding_check() {
	local log=$work/binding-check.log rc=0
	mkdir -p "$build"
	rm -f "$build/$bindings"/.*.checked "$build/$bindings/${ours%.yaml}".example.*
	nice make -C "$tree" O="$build" ARCH=riscv CROSS_COMPILE=riscv64-linux-gnu- -j"$JOBS" \
		dt_binding_check DT_SCHEMA_FILES="$ours" >"$log" 2>&1 || rc=$?
	if [ $rc -ne 0 ]; then
		tail -n 40 "$log"
		return 1
	fi
	# What make does begins with two blanks and a name in capitals
	if grep -v '^  [A-Z]* ' "$log" | grep -F -A9 -e "${ours%.yaml}" -e "$(basename "${ours%.yaml}")"; then
		return 1
	fi
	for done in CHKDT LINT DTEX DTC; do
		grep -q "^  $done " "$log" || { echo "the kernel's make did no $done"; return 1; }
	done
	[ -s "$build/$bindings/${ours%.yaml}.example.dtb" ]
	grep -q "$ours" "$processed"
}

# Both directions: a name that only one side knows is a typing error or a
# forgotten line on the other.
same_names() {
	local match=$1 clean=$2
	diff -u --label driver --label binding \
		<(grep -ohE "$match" "$IDMA_TOP"/drivers/dma/idma/*.c | grep -oE "$clean" | sort -u) \
		<(grep -vE '^ *[$#]' "$IDMA_TOP/$bindings/$ours" | sed '/^examples:/,$d' |
			grep -oE "(^  |- |const: )$clean" | grep -oE "$clean" | sort -u)
}

tap_check "dt: the vendor prefix goes into the kernel's list" vendor_prefix
tap_check "dt: $ours passes dt_binding_check ($kernel)" binding_check
[ -s "$processed" ] || die "there is no processed schema to go on with, see above"
tap_check "dt: driver and binding know the same compatibles" \
	same_names '\.compatible = "[^"]*"' 'eth,idma-[a-z0-9]+'
tap_check "dt: driver and binding know the same properties" \
	same_names '"eth,[a-z]+-slots"' 'eth,[a-z]+-slots'

# --- the device trees ---------------------------------------------------------

out=$TAP_DIR/dt
mkdir "$out"

# compile NAME FILE...: dtc over the files, one after the other, with every
# warning on, and each one counts. Except interrupt_provider, which asks CPU
# interrupt controllers for a property that their binding forbids (the kernel
# switches it off, too), and WARNING when the name is NAME,no-WARNING.
compile() {
	local name=${1%,*} flags=(-Wno-interrupt_provider)
	[ "$name" = "$1" ] || flags+=("-W${1#*,}")
	shift
	cat "$@" | dtc -@ -I dts -O dtb "${flags[@]}" -i "$dts" \
		-o "$out/$name.dtb" - 2>&1 | tee "$out/$name.warnings"
	[ ! -s "$out/$name.warnings" ]
	[ -s "$out/$name.dtb" ]
}

# validate DTB...: what dt-validate has to say, undocumented compatibles included.
validate() { dt-validate -m -s "$processed" "$@" 2>&1; }

# node DTB: our node as text, without what depends on its surroundings.
node() {
	dtc -q -s -I dtb -O dts "$1" | awk '
		/dma-controller@[0-9a-f]+ \{/ { on = 1 }
		on && !/phandle/ { sub(/^[ \t]+/, ""); print }
		/^[ \t]*};/ { on = 0 }'
}

cheshire_overlay() {
	fdtoverlay -i "$out/cheshire.dtb" -o "$out/cheshire+overlay.dtb" "$out/cheshire-idma-overlay.dtb"
	[ "$(node "$out/cheshire+overlay.dtb" | wc -l)" -gt 5 ]
	diff -u <(node "$out/cheshire+overlay.dtb") <(node "$out/cheshire-idma.dtb")
}

# Nothing at all may be said, but for the board having no binding.
cheshire_valid() {
	[ -s "$1" ]
	! validate "$1" | grep -v "/: failed to match any schema with compatible: \['eth,cheshire'\]"
}

# QEMU's own nodes are not ours to judge.
qemu_valid() {
	[ "$(node "$1" | wc -l)" -gt 5 ]
	! validate "$1" | grep -A3 -e dma-controller -e 'eth,'
}

qemu_dump() {
	"$qemu" -M virt,dumpdtb="$out/$1.dtb" -bios none -display none "${@:2}"
	[ -s "$out/$1.dtb" ]
}

qemu_overlay() {
	qemu_dump qemu-virt
	fdtoverlay -i "$out/qemu-virt.dtb" -o "$out/qemu-virt+overlay.dtb" "$out/qemu-virt-idma.dtb"
	qemu_valid "$out/qemu-virt+overlay.dtb"
}

qemu_device() {
	qemu_dump qemu-device -device idma-desc64
	qemu_valid "$out/qemu-device.dtb"
}

# Commas in a value are doubled on QEMU's command line
qemu_properties() {
	qemu_dump qemu-properties -device \
		idma-desc64,compatible=eth,,idma-desc,dma-channels=64,input-slots=2,pending-slots=4,dma-coherent=off
	for p in '"eth,idma-desc"' 'dma-channels = <0x40>' 'eth,input-slots = <0x02>' \
			'eth,pending-slots = <0x04>' 'dma-noncoherent'; do
		node "$out/qemu-properties.dtb" | grep -F "$p" || { echo "the node has no $p"; return 1; }
	done
	qemu_valid "$out/qemu-properties.dtb"
}

qemu_same() {
	diff -u --label overlay --label device \
		<(node "$out/qemu-virt+overlay.dtb") <(node "$out/qemu-device.dtb")
}

tap_check "dt: cheshire.dts compiles without a warning" \
	compile cheshire "$dts/cheshire.dts"
tap_check "dt: cheshire-idma.dtsi compiles without a warning" \
	compile cheshire-idma "$dts/cheshire.dts" "$dts/cheshire-idma.dtsi"
tap_check "dt: cheshire-idma.dtso compiles without a warning" \
	compile cheshire-idma-overlay "$dts/cheshire-idma.dtso"
tap_check "dt: cheshire-idma.dtso applies and gives the node of the .dtsi" cheshire_overlay
tap_check "dt: a Cheshire with the .dtsi is valid" cheshire_valid "$out/cheshire-idma.dtb"
tap_check "dt: a Cheshire with the overlay is valid" cheshire_valid "$out/cheshire+overlay.dtb"

# The interrupt parent is the platform bus's, which an overlay does not see
tap_check "dt: qemu-virt-idma.dtso compiles without a warning" \
	compile qemu-virt-idma,no-interrupts_property "$dts/qemu-virt-idma.dtso"
tap_check "dt: qemu-virt-idma.dtso applies to QEMU's device tree and is valid" qemu_overlay
tap_check "dt: the node that QEMU's device writes is valid" qemu_device
tap_check "dt: the node that QEMU's device writes with other properties is valid" qemu_properties
tap_check "dt: the overlay's node is that of QEMU's device" qemu_same

# --- nodes that are right in another way, and nodes that are wrong --------------

# variant NAME TEXT: the Cheshire's node with TEXT on top, as $out/NAME.dtb.
variant() {
	printf '%s\n' "$2" | cat "$dts/cheshire.dts" "$dts/cheshire-idma.dtsi" - |
		dtc -q -@ -I dts -O dtb -i "$dts" -o "$out/$1.dtb" -
	variants+=("$out/$1.dtb")
}

variants=()
names=()
words=()

# good NAME TEXT: the node must pass. bad NAME WORDS TEXT: it must not, and
# dt-validate must say WORDS (a regular expression) of it.
good() {
	names+=("accepts a node with $1")
	words+=('')
	variant "v${#names[@]}" "$2"
}

bad() {
	names+=("refuses a node with $1")
	words+=("$2")
	variant "v${#names[@]}" "$3"
}

good "the name eth,idma-desc" '&idma { compatible = "eth,idma-desc"; };'
good "the name eth,idma-engine" '&idma { compatible = "eth,idma-engine"; };'
good "the new and an old name" '&idma { compatible = "eth,idma-desc64", "eth,idma-desc"; };'
good "nothing optional" '&idma { /delete-property/ dma-channels;
	/delete-property/ eth,input-slots; /delete-property/ eth,pending-slots;
	/delete-property/ dma-noncoherent; };'
good "dma-coherent" '&idma { /delete-property/ dma-noncoherent; dma-coherent; };'

bad "no reg" "'reg' is a required property" '&idma { /delete-property/ reg; };'
bad "two register ranges" "reg: .* is too long" \
	'&idma { reg = <0 0x1000000 0 0x1000>, <0 0x1001000 0 0x1000>; };'
bad "no interrupt" "'interrupts' is a required property" '&idma { /delete-property/ interrupts; };'
bad "two interrupts" "interrupts: .* is too long" '&idma { interrupts = <20>, <21>; };'
bad "no dma-cells" "'#dma-cells' is a required property" '&idma { /delete-property/ #dma-cells; };'
bad "two dma-cells" "#dma-cells: 1 was expected" '&idma { #dma-cells = <2>; };'
bad "no channels" "dma-channels: 0 is less than the minimum of 1" '&idma { dma-channels = <0>; };'
bad "65 channels" "dma-channels: 65 is greater than the maximum of 64" '&idma { dma-channels = <65>; };'
bad "no input slots" "eth,input-slots: 0 is less than the minimum of 1" '&idma { eth,input-slots = <0>; };'
bad "4097 input slots" "eth,input-slots: 4097 is greater than the maximum of 4096" \
	'&idma { eth,input-slots = <4097>; };'
bad "input slots of two cells" "eth,input-slots: .*\[8, 8\]" \
	'&idma { eth,input-slots = <8 8>; };'
bad "no pending slots" "eth,pending-slots: 0 is less than the minimum of 1" \
	'&idma { eth,pending-slots = <0>; };'
bad "both dma-coherent and dma-noncoherent" "dma-coherent.*should not be valid under" '&idma { dma-coherent; };'
bad "a property with a typing error" "'eth,input-slot' .*(unexpected|does not match)" \
	'&idma { eth,input-slot = <8>; };'
bad "an unknown second name" "'eth,idma-desc128' is not one of" \
	'&idma { compatible = "eth,idma-desc64", "eth,idma-desc128"; };'
bad "a name that no DMA controller has" "nodename:0: .*does not match .*dma-controller" '/delete-node/ &idma;
	&soc { dma@1000000 { compatible = "eth,idma-desc64"; reg = <0 0x1000000 0 0x1000>;
	interrupt-parent = <&plic>; interrupts = <20>; #dma-cells = <1>; }; };'

# One run for all: most of its time goes into reading the schema
validate "${variants[@]}" >"$out/variants.log" || true

said() {
	local dtb=${variants[$1]} want=${words[$1]}
	[ -s "$dtb" ]
	# Its lines begin with the file's name, what belongs to them with a blank
	awk -v f="$dtb:" '/^[^ \t]/ { on = index($0, f) == 1 && !/eth,cheshire/ } on' \
		"$out/variants.log" >"$out/said"
	cat "$out/said"
	if [ -z "$want" ]; then
		[ ! -s "$out/said" ]
	elif ! grep -qE -e "$want" "$out/said"; then
		echo "expected something that matches: $want"
		return 1
	fi
}

for i in "${!names[@]}"; do
	tap_check "dt: the binding ${names[i]}" said "$i"
done

tap_end
