// SPDX-License-Identifier: Apache-2.0
// Sends pages that fit in a packet backward, and copies them.
#include "multicast_writer.hpp"

void kernel_main() {
    send_and_copy<PagePackets>();
}
