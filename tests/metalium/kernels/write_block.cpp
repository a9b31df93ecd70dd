// SPDX-License-Identifier: Apache-2.0
// Writes a block of CB 16. Arguments: address, block row, block column, tiles in a row.
#include "block_places.hpp"
#include "dataflow_api.h"

void kernel_main() {
    constexpr auto out = tt::CBIndex::c_16;
    constexpr auto args = TensorAccessorArgs<0>();
    const auto target = TensorAccessor(args, get_arg_val<uint32_t>(0), get_tile_size(out));
    cb_wait_front(out, kBlockTiles);
    for (uint32_t tile = 0; tile < kBlockTiles; ++tile) {
        noc_async_write_tile(page_of(get_arg_val<uint32_t>(1), get_arg_val<uint32_t>(2), tile,
                                     get_arg_val<uint32_t>(3)),
                             target, get_read_ptr(out) + tile * get_tile_size(out));
    }
    noc_async_write_barrier();
    cb_pop_front(out, kBlockTiles);
}
