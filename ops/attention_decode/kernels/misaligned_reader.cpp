// SPDX-License-Identifier: Apache-2.0
// Brings in heads of tokens and rows of a cache that DRAM's alignment does not divide.
#include "token_reader.hpp"

void kernel_main() {
    read_tokens<MisalignedRows>();
}
