#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Generate what is generated from Documentation/netlink/specs: the netlink
# family's policies and operations, and the header for user space.
#
# usage: scripts/ynl-regen.sh [--check]
#
# With --check nothing is written: say whether the files are current, and fail
# if they are not. The generator is Linux 6.12's, whose code also compiles on the
# other kernels (on 6.1 with the help of idma-compat.h); the spec must be valid by
# the rules of 6.12 and of the newest kernel.

. "$(dirname "$0")/lib.sh"

check=
case ${1:-} in
'')		;;
--check)	check=y ;;
*)		say "error: unknown option '$1'"
		echo "usage: scripts/ynl-regen.sh [--check]" >&2
		exit 2 ;;
esac

need python3
python3 -c 'import jsonschema, yaml' 2>/dev/null ||
	die "Python's jsonschema and yaml are missing; run 'make setup' first"
linux=$("$IDMA_TOP/scripts/fetch.sh" linux-6.12)
newest=$("$IDMA_TOP/scripts/fetch.sh" linux-newest)

# The generator looks for the schema beside the spec, and names the spec by its
# path from the folder with a MAINTAINERS file: give it a tree like that.
tmpdir "${TMPDIR:-/tmp}/ynl-regen"
specs=Documentation/netlink/specs
mkdir -p "$TMP/$specs" "$TMP/out"
touch "$TMP/MAINTAINERS"
cp "$linux"/Documentation/netlink/*.yaml "$TMP/Documentation/netlink/"
cp "$IDMA_TOP/$specs"/*.yaml "$TMP/$specs/"
cd "$TMP"

python3 - "$newest" "$specs"/*.yaml <<'END'
import sys
import jsonschema
import yaml

newest, *specs = sys.argv[1:]
for path in specs:
    with open(path, encoding="utf-8") as f:
        spec = yaml.safe_load(f)
    schema = f"{newest}/Documentation/netlink/{spec.get('protocol', 'genetlink')}.yaml"
    with open(schema, encoding="utf-8") as f:
        try:
            jsonschema.validate(spec, yaml.safe_load(f))
        except jsonschema.ValidationError as e:
            where = "/".join(str(p) for p in e.absolute_path)
            sys.exit(f"{path}: by the newest kernel's schema: {where}: {e.message}")
END

stale=0
# generate SPEC FILE ARGUMENT...
generate() {
	local spec=$1 file=$2 out
	shift 2
	# The generator writes the names of headers from that of the output
	out=out/$(basename "$file")
	PYTHONDONTWRITEBYTECODE=1 python3 "$linux/tools/net/ynl/ynl-gen-c.py" \
		--spec "$specs/$spec" "$@" -o "$out" || die "$specs/$spec: the generator failed, see above"
	[ -s "$out" ] || die "$specs/$spec: the generator wrote nothing for $file"
	if cmp -s "$out" "$IDMA_TOP/$file"; then
		say "$file is current"
	elif [ -n "$check" ]; then
		stale=1
		say "$file is not what $specs/$spec makes:"
		diff -u --label "$file" --label generated "$IDMA_TOP/$file" "$out" >&2 || true
	else
		mkdir -p "$(dirname "$IDMA_TOP/$file")"
		cp "$out" "$IDMA_TOP/$file"
		say "$file is new"
	fi
}

generate idma.yaml drivers/dma/idma/idma-nl-gen.c --mode kernel --source
generate idma.yaml drivers/dma/idma/idma-nl-gen.h --mode kernel --header
generate idma.yaml include/uapi/linux/idma.h --mode uapi --header

[ $stale -eq 0 ] || die "run scripts/ynl-regen.sh and commit what it writes"
