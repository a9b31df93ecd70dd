// SPDX-License-Identifier: Apache-2.0
// Stores 32 tokens' rows of a head for each unit, a strip of 128 columns at a time.
#include "dataflow_api.h"
#include "shapes.hpp"

void kernel_main() {
    constexpr uint32_t kCbOut = 16;
    constexpr uint32_t kTileRows = 32;
    constexpr uint32_t kStripTiles = 4;
    constexpr uint32_t kStripRowBytes = 256;
    const uint32_t first_unit = get_arg_val<uint32_t>(0);
    const uint32_t num_units = get_arg_val<uint32_t>(1);
    const HeadShapes shapes = head_shapes();
    const uint32_t row_bytes = get_compile_time_arg_val(8);
    const TensorAccessor output(TensorAccessorArgs<9>(), get_arg_val<uint32_t>(2));

    for (uint32_t unit = first_unit; unit < first_unit + num_units; ++unit) {
        const uint32_t head = unit / shapes.token_tiles;
        const uint32_t first = unit % shapes.token_tiles * kTileRows;
        for (uint32_t offset = 0; offset < row_bytes; offset += kStripRowBytes) {
            const uint32_t left = row_bytes - offset;
            cb_wait_front(kCbOut, kStripTiles);
            uint32_t l1_addr = get_read_ptr(kCbOut);
            for (uint32_t token = first; token < first + kTileRows && token < shapes.tokens;
                 ++token) {
                noc_async_write(l1_addr, output.get_noc_addr(token * shapes.heads + head, offset),
                                left < kStripRowBytes ? left : kStripRowBytes);
                l1_addr += kStripRowBytes;
            }
            noc_async_writes_flushed();
            cb_pop_front(kCbOut, kStripTiles);
        }
    }
    noc_async_write_barrier();
}
