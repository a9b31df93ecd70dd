// SPDX-License-Identifier: Apache-2.0
// Writes pages of this core's shard to their place in the other tensor.
#include "shard_pages.hpp"

void kernel_main() {
    move_shard_pages([](uint32_t page, const auto& remote, uint32_t l1_addr) {
        noc_async_write_page(page, remote, l1_addr);
    });
    // Pages have fixed places, so all writes are in flight together under one barrier.
    noc_async_write_barrier();
}
