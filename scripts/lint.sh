#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# All checks that read the project's files rather than run them. Each is one
# line; one that fails shows what was found. Nothing is skipped: a checker that
# is missing is an error.
#
# usage: scripts/lint.sh [WORD]	only the checks with WORD in their name

. "$(dirname "$0")/lib.sh"

only=${1:-}
need git perl make rsync gcc riscv64-linux-gnu-gcc shellcheck yamllint codespell pyflakes3 python3
cd "$IDMA_TOP"
git rev-parse --is-inside-work-tree >/dev/null 2>&1 ||
	die "$IDMA_TOP is no git checkout: which files belong to the project is git's to say"

linux=$(scripts/dt-check.sh --tree linux-6.12)
qemu=$(scripts/fetch.sh qemu)
sparse=$(scripts/fetch.sh sparse)/bin/sparse
kdir=$(scripts/build-kernel.sh plain)

. scripts/tap.sh

lint() {
	local name=$1
	shift
	case $name in
	*"$only"*)	tap_check "lint: $name" "$@" ;;
	esac
}

# Inputs of the fuzzers are bytes, no text.
corpus=':!qemu-device/engine/test/corpus/fuzz-*'

# files PATTERN...: the project's files of these names: what git has, and what it
# would have to be told to ignore.
files() {
	git ls-files -z -co --exclude-standard -- "$@" "$corpus" |
		while IFS= read -r -d '' f; do
			[ ! -f "$f" ] || printf '%s\n' "$f"
		done
}

# on COMMAND... -- PATTERN...: run a command on all such files. There must be
# some: a pattern that matches nothing is a check that cannot fail.
on() {
	local cmd=() list
	while [ "$1" != -- ]; do
		cmd+=("$1")
		shift
	done
	shift
	mapfile -t list < <(files "$@")
	[ ${#list[@]} -gt 0 ] || { echo "no file matches: $*"; return 1; }
	"${cmd[@]}" "${list[@]}"
}

# found COMMAND...: fail if the command says anything or fails.
found() {
	local rc=0
	"$@" >"$TAP_DIR/found" 2>&1 || rc=$?
	sed "s|$IDMA_TOP/||g" "$TAP_DIR/found"
	[ $rc -eq 0 ] && [ ! -s "$TAP_DIR/found" ]
}

# --- kernel code --------------------------------------------------------------

# What checkpatch says and is not followed. In *-compat.h, which exist to be about
# kernel versions and go away when the driver moves into a kernel tree:
#   LINUX_VERSION_CODE		it compares the kernel's version
#   CONSTANT_COMPARISON		KERNEL_VERSION(...) is taken for a constant
#   INCLUDE_LINUX		linux/cpufeature.h leaves riscv's asm/cpufeature.h out
# in *-trace.h, where TRACE_EVENT has a layout of its own in all of the kernel:
#   OPEN_ENDED_LINE		"TP_STRUCT__entry("
#   PARENTHESIS_ALIGNMENT	what stands below it
#   SPACING			the "-" in the name of TRACE_INCLUDE_FILE
# in tools/, which are no part of a kernel:
#   CAMELCASE			PRIu64 and its like
#   VOLATILE			what a signal handler sets
#   PREFER_DEFINED_ATTRIBUTE_MACRO	somebody has to define it
# Absolute names, from the kernel's tree: there it knows the binding, and our
# .git is not taken for the kernel's.
kernel_checkpatch() {
	local list
	mapfile -t list < <(files 'drivers/*.[ch]' 'include/*.h' 'tools/*.[ch]' | sed "s|^|$IDMA_TOP/|")
	[ ${#list[@]} -gt 0 ] || { echo "no kernel code"; return 1; }
	found kernel_checkpatch_in "${list[@]}"
}

kernel_checkpatch_in() {
	local f rc=0 ignore
	cd "$linux"
	for f in "$@"; do
		case $f in
		*-compat.h)		ignore=(--ignore 'LINUX_VERSION_CODE,CONSTANT_COMPARISON,INCLUDE_LINUX') ;;
		*-trace.h)		ignore=(--ignore 'OPEN_ENDED_LINE,PARENTHESIS_ALIGNMENT,SPACING') ;;
		*/tools/*)		ignore=(--ignore 'CAMELCASE,VOLATILE,PREFER_DEFINED_ATTRIBUTE_MACRO') ;;
		*)			ignore=() ;;
		esac
		perl scripts/checkpatch.pl --root="$linux" --strict --show-types --terse --no-summary \
			--quiet "${ignore[@]}" -f "$f" || rc=1
	done
	return $rc
}

kernel_doc() {
	on perl "$linux/scripts/kernel-doc" -none -Werror -- 'drivers/*.[ch]' 'include/*.h'
}

# Modules are built from a copy, so that the checkout stays as it is.
modules() {
	local dir=$TAP_DIR/modules
	mkdir -p "$dir"
	files Kbuild 'drivers/*' 'include/*' | rsync -rc --files-from=- ./ "$dir/"
	nice make -C "$kdir" M="$dir" ARCH=riscv CROSS_COMPILE=riscv64-linux-gnu- -j"$JOBS" "$@" modules
}

# said LOG: the compiler's and sparse's words in it.
said() {
	if grep -aE -A4 '(warning|error|note):|^(WARNING|ERROR):|\*\*\*' "$1" >"$TAP_DIR/words"; then
		grep -v '^  [A-Z]' "$TAP_DIR/words" | sed "s|$TAP_DIR/modules/||g; s|$linux/||g"
		return 1
	fi
}

# Every file must have been compiled, or nothing was learned of it.
w1() {
	local log=$TAP_DIR/w1.log rc=0 f
	modules W=1 >"$log" 2>&1 || rc=$?
	said "$log" || rc=1
	for f in $(files 'drivers/*.c'); do
		grep -qF "/modules/${f%.c}.o" "$log" || { echo "$f was not compiled"; rc=1; }
	done
	return $rc
}

sparse_endian() {
	local log=$TAP_DIR/sparse.log rc=0 f
	modules C=2 CHECK="$sparse" CF=-D__CHECK_ENDIAN__ >"$log" 2>&1 || rc=$?
	said "$log" || rc=1
	for f in $(files 'drivers/*.c'); do
		grep -qE "^  CHECK .*/modules/$f\$" "$log" || { echo "$f was not checked"; rc=1; }
	done
	return $rc
}

lint "the kernel's checkpatch --strict" kernel_checkpatch
lint "kernel-doc" found kernel_doc
lint "W=1 build of the modules" w1
lint "sparse with endian checks" sparse_endian
lint "generated netlink code is current" scripts/ynl-regen.sh --check

# --- QEMU code ------------------------------------------------------------------

# checkpatch goes by where a file lies in QEMU's tree: tests may do what devices
# may not. The engine is tested without QEMU, where there is no qemu_strtoul() to
# use instead of strtoul().
qemu_checkpatch() {
	local list f to rc=0
	mapfile -t list < <(files 'qemu-device/*.[ch]')
	[ ${#list[@]} -gt 0 ] || { echo "no QEMU code"; return 1; }
	for f in "${list[@]}"; do
		case $f in
		*/test/*|*/qtest/*|*/fuzz/*)	to=tests/$f ;;
		*)				to=hw/$f ;;
		esac
		mkdir -p "$TAP_DIR/qemu/$(dirname "$to")"
		cp "$f" "$TAP_DIR/qemu/$to"
		(cd "$TAP_DIR/qemu" && perl "$qemu/scripts/checkpatch.pl" --no-tree --strict --terse \
			--no-summary -f "$to") >"$TAP_DIR/words" 2>&1 && continue
		case $f in
		qemu-device/engine/*)
			sed -i '/consider using qemu_strto/d' "$TAP_DIR/words"
			[ -s "$TAP_DIR/words" ] || continue ;;
		esac
		sed -E 's,^(hw|tests)/,,' "$TAP_DIR/words"
		rc=1
	done
	return $rc
}

lint "QEMU's checkpatch" found qemu_checkpatch

# --- scripts, YAML, documents -----------------------------------------------------

# shebang REGEX: the project's files whose first line matches.
shebang() {
	files | while IFS= read -r f; do
		! head -n 1 "$f" | tr -d '\0' | grep -qE "$1" || printf '%s\n' "$f"
	done
}

shell() {
	local list
	mapfile -t list < <({ files '*.sh'; shebang '^#!.*/(env )?(ba|da)?sh\b'; } | sort -u)
	[ ${#list[@]} -gt 0 ]
	shellcheck -x -P SCRIPTDIR "${list[@]}"
}

python() {
	local list
	mapfile -t list < <({ files '*.py'; shebang '^#!.*python3'; } | sort -u)
	[ ${#list[@]} -gt 0 ] || { echo "no Python file"; return 1; }
	pyflakes3 "${list[@]}"
}

rst() {
	local f rc=0
	for f in "$@"; do
		python3 -m docutils --report=info --exit-status=info --writer=null "$f" || rc=1
	done
	return $rc
}

# Paths that documents name in `code` or as a link must exist. What is generated
# or lies elsewhere does not begin with the name of a folder of ours.
paths() {
	local f p rc=0 tops
	tops=$(files | grep / | cut -d/ -f1 | sort -u | paste -sd'|')
	for f in $(files '*.md' '*.rst'); do
		while IFS= read -r p; do
			[ -e "$p" ] || { echo "$f: $p does not exist"; rc=1; }
		done < <(grep -ohE "[\`(]($tops)/[A-Za-z0-9_./,-]*" "$f" | cut -c2- | sort -u)
	done
	return $rc
}

lint "shellcheck" shell
lint "pyflakes" python
lint "yamllint" on yamllint --strict -- '*.yaml' '*.yml'
lint "reStructuredText" on rst -- '*.rst'
lint "paths in the documents exist" paths

# --- every file ---------------------------------------------------------------

# Licences by folder. What is left out cannot carry a tag: licence texts, lists
# of files, figures.
spdx_for() {
	case $1 in
	LICENSES/*|MAINTAINERS|*.csv|*/golden/*.txt|*/patches/series)
					echo none ;;
	dts/*|Documentation/devicetree/*)
					echo '(GPL-2.0-only OR BSD-2-Clause)' ;;
	include/uapi/*|Documentation/netlink/specs/*|*-nl-gen.[ch])
					echo '((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause)' ;;
	qemu-device/*)			echo 'GPL-2.0-or-later' ;;
	*)				echo 'GPL-2.0-only' ;;
	esac
}

spdx() {
	local f want is rc=0 n=0
	while IFS= read -r f; do
		want=$(spdx_for "$f")
		[ "$want" != none ] || continue
		n=$((n + 1))
		is=$(head -n 25 "$f" | sed -nE 's/.*SPDX-License-Identifier:[ \t]*(.*[^ \t])[ \t]*$/\1/p' |
			sed -E 's/[ \t]*(\*\/|-->|",?)$//')
		if [ -z "$is" ]; then
			echo "$f: no SPDX-License-Identifier, should be $want"
			rc=1
		elif [ "$is" != "$want" ]; then
			echo "$f: $is, should be $want"
			rc=1
		fi
	done < <(files)
	[ $n -gt 0 ]
	return $rc
}

# Paths of somebody's machine, and hosts other than those of standards and
# projects that everybody knows. Written so that the patterns do not find
# themselves.
places() {
	local rc=0
	if on grep -nIE "(^|[^][A-Za-z0-9_.~})/-])/(hom[e]|roo[t]|wor[k]|User[s])/[A-Za-z0-9_.]" -- ':!LICENSES'; then
		rc=1
	fi
	if on grep -nIoE '[a-z0-9.-]+\.(debian|ubuntu)\.(or[g]|ne[t]|co[m])' -- .; then
		rc=1
	fi
	if on grep -nIoE '(https?|git|ssh|ftp)://[A-Za-z0-9.-]+' -- ':!LICENSES' |
			grep -vE '://((www|lore|docs|git)\.kernel\.org|devicetree\.org|(www\.)?qemu\.org|spdx\.org|github\.com|www\.gnu\.org|json-schema\.org|testanything\.org)$'; then
		rc=1
	fi
	return $rc
}

# Patches carry the white space of what they patch.
whitespace() {
	local f rc=0 empty
	empty=$(git hash-object -t tree /dev/null)
	git -c core.whitespace=trailing-space,space-before-tab,blank-at-eof diff --check "$empty" -- \
		. ':!*.patch' ':!LICENSES' "$corpus" || rc=1
	while IFS= read -r f; do
		if [ -s "$f" ] && [ -n "$(tail -c 1 "$f" | tr -d '\0')" ]; then
			echo "$f: no newline at the end"
			rc=1
		fi
	done < <(files ':!*.patch')
	if on grep -lI "$(printf '\r')" -- . ; then
		echo "(these have carriage returns)"
		rc=1
	fi
	return $rc
}

# Words that codespell does not know: inflight in names, RISC-V's hart, the
# RTL's NumAxInFlight for short.
spelling() {
	on codespell --quiet-level=2 --ignore-words-list=inflight,hart,nax -- . ':!LICENSES' ':!*.csv' ':!scripts/lint.sh'
}

lint "SPDX licence of every file" spdx
lint "no host or path of a machine" places
lint "white space" whitespace
lint "spelling" found spelling

tap_end
