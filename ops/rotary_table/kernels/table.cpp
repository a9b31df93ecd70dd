// SPDX-License-Identifier: Apache-2.0
// Cosines and sines as they are.
#include "table.hpp"

void kernel_main() {
    make_table<Plain>();
}
