// SPDX-License-Identifier: Apache-2.0
// Sends pages that fit into a packet to the next device.
#include "page_writer.hpp"

void kernel_main() {
    write_pages<PagePackets>();
}
