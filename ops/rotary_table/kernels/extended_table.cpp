// SPDX-License-Identifier: Apache-2.0
// Cosines and sines times a factor, and frequencies.
#include "table.hpp"

void kernel_main() {
    make_table<Extended>();
}
