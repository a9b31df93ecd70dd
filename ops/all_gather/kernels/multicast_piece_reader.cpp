// SPDX-License-Identifier: Apache-2.0
// Reads pages that exceed a packet and sends them ahead.
#include "multicast_reader.hpp"

void kernel_main() {
    read_and_send<PagePieces>();
}
