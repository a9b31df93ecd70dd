// SPDX-License-Identifier: Apache-2.0
// Reads heads of tokens and rows of a cache whose size is not a multiple of DRAM's alignment.
#include "token_reader.hpp"

void kernel_main() {
    read_tokens<MisalignedRows>();
}
