// SPDX-License-Identifier: Apache-2.0
// Copies tiles from one DRAM buffer through L1 to another. Arguments: L1 address, source, target,
// number of tiles.
#include "dataflow_api.h"

void kernel_main() {
    const uint32_t l1 = get_arg_val<uint32_t>(0);
    const InterleavedAddrGenFast<true> source{.bank_base_address = get_arg_val<uint32_t>(1),
                                              .page_size = 2048,
                                              .data_format = DataFormat::Float16_b};
    const InterleavedAddrGenFast<true> target{.bank_base_address = get_arg_val<uint32_t>(2),
                                              .page_size = 2048,
                                              .data_format = DataFormat::Float16_b};
    for (uint32_t tile = 0; tile < get_arg_val<uint32_t>(3); ++tile) {
        noc_async_read_tile(tile, source, l1);
        noc_async_read_barrier();
        noc_async_write_tile(tile, target, l1);
        noc_async_write_barrier();
    }
}
