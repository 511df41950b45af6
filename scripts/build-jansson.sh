#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Build jansson, the JSON library, as a static riscv64 library and print the
# prefix.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/static-lib.sh"

jansson() {
	need cmake
	run "$log" cmake -B out -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=riscv64 \
		-DCMAKE_C_COMPILER=riscv64-linux-gnu-gcc -DCMAKE_BUILD_TYPE=Release \
		-DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib -DJANSSON_INSTALL_LIB_DIR=lib \
		-DJANSSON_BUILD_DOCS=OFF -DJANSSON_EXAMPLES=OFF -DJANSSON_WITHOUT_TESTS=ON
	run "$log" nice cmake --build out -j "$JOBS"
	run "$log" env DESTDIR="$dest" cmake --install out
}

static_lib jansson lib/libjansson.a jansson
