/*
 * Fuzzer: HyperLink translation against the slow reference
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdint.h>
#include <stdlib.h>
#include "hyperlink-ref.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    HyperlinkCase c;

    hyperlink_case(&c, data, size);
    if (!hyperlink_case_agrees(&c)) {
        abort();
    }
    return 0;
}
