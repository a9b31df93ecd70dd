// SPDX-License-Identifier: Apache-2.0
// Stores strips of 32 rows of 128 elements.
#include "args.hpp"
#include "dataflow_api.h"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::fp8_dequantise;

constexpr uint32_t kCbOut = index_of(Cb::Output);
constexpr uint32_t kTileRows = 32;
constexpr uint32_t kStripTiles = 4;
constexpr uint32_t kBlock = 128;

}  // namespace

void kernel_main() {
    const auto range = fp8::GroupRange::read();
    const uint32_t address =
        fp8::StripWriterTensors::Addresses::read(fp8::GroupRange::kCount).output;
    const auto args = fp8::StripWriterArgs::read();
    const TensorAccessor out(fp8::StripWriterTensors::output(), address);

    for (uint32_t group = range.first_group; group < range.first_group + range.num_groups;
         ++group) {
        const uint32_t first = group * kTileRows;
        // The last group may be short.
        const uint32_t end = args.rows - first < kTileRows ? args.rows : first + kTileRows;
        for (uint32_t column = 0; column < args.columns; column += kBlock) {
            const uint32_t left = args.columns - column;
            cb_wait_front(kCbOut, kStripTiles);
            uint32_t l1_addr = get_read_ptr(kCbOut);
            for (uint32_t row = first; row < end; ++row) {
                noc_async_write(l1_addr, out.get_noc_addr(row, column * args.element_bytes),
                                (left < kBlock ? left : kBlock) * args.element_bytes);
                l1_addr += kBlock * args.element_bytes;
            }
            // The strip's data has left L1; one barrier at the end waits for arrival.
            noc_async_writes_flushed();
            cb_pop_front(kCbOut, kStripTiles);
        }
    }
    noc_async_write_barrier();
}
