// SPDX-License-Identifier: Apache-2.0
// Stores one row of each token at its position of the cache.
#include "append_rows.hpp"

void kernel_main() {
    append_rows<OneRow>();
}
