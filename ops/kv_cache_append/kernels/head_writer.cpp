// SPDX-License-Identifier: Apache-2.0
// Stores rows of heads, several of each token, in their places of the cache.
#include "append_rows.hpp"

void kernel_main() {
    append_rows<HeadRows>();
}
