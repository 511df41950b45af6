#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Build libnl-3 and libnl-genl-3 as static riscv64 libraries and print the
# prefix. From source, because Debian 12 has no riscv64 packages and its linker
# cannot link the static C library of a newer release.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/static-lib.sh"

# Debian's patches are newer than what autoconf made from the files they touch;
# without these settings make would want to run it again.
libnl() {
	need bison flex
	run "$log" ./configure --host=riscv64-linux-gnu --prefix="$prefix" --disable-shared --disable-cli \
		CFLAGS='-O2 -g0'
	run "$log" nice make -j "$JOBS" ACLOCAL=: AUTOCONF=: AUTOMAKE=: AUTOHEADER=:
	run "$log" make install DESTDIR="$dest" ACLOCAL=: AUTOCONF=: AUTOMAKE=: AUTOHEADER=:
}

static_lib libnl lib/libnl-genl-3.a libnl
