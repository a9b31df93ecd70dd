// SPDX-License-Identifier: Apache-2.0
// Sends pages that exceed a packet backward, and copies them.
#include "multicast_writer.hpp"

void kernel_main() {
    send_and_copy<PagePieces>();
}
