// SPDX-License-Identifier: Apache-2.0
// Stores one row of each token in its place of the cache.
#include "append_rows.hpp"

void kernel_main() {
    append_rows<OneRow>();
}
