// SPDX-License-Identifier: Apache-2.0
// Sends pages that exceed a packet to the next device.
#include "page_writer.hpp"

void kernel_main() {
    write_pages<PagePieces>();
}
