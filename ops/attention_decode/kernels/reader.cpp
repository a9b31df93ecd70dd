// SPDX-License-Identifier: Apache-2.0
// Brings in heads of tokens and rows of a cache that DRAM's alignment divides.
#include "token_reader.hpp"

void kernel_main() {
    read_tokens<AlignedRows>();
}
