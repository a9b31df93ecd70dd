// SPDX-License-Identifier: Apache-2.0
// Stores 32 tokens' rows of a head for each unit, a strip of 128 columns at a time.
#include "args.hpp"
#include "dataflow_api.h"

using namespace tessera::ops;
using namespace tessera::ops::head_product;

void kernel_main() {
    constexpr uint32_t kCbOut = index_of(Cb::Output);
    constexpr uint32_t kTileRows = 32;
    constexpr uint32_t kStripTiles = 4;
    constexpr uint32_t kStripRowBytes = 256;
    const auto range = UnitRange::read();
    const auto shapes = ShapeArgs::read();
    const uint32_t row_bytes = WriterArgs::read().row_bytes;
    const TensorAccessor output(WriterTensors::output(),
                                WriterTensors::output_address(UnitRange::kCount));

    for (uint32_t unit = range.first_unit; unit < range.first_unit + range.num_units; ++unit) {
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
