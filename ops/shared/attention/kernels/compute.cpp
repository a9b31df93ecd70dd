// SPDX-License-Identifier: Apache-2.0
// Attention of one strip of 32 queries at a time.
#include "attend.hpp"

void kernel_main() {
    attend_units<OneStrip>();
}
