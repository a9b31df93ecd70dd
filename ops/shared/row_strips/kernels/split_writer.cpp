// SPDX-License-Identifier: Apache-2.0
// Stores the strips of a core that has some columns of each unit.
#include "../../kernels/arithmetic.hpp"
#include "args.hpp"
#include "dataflow_api.h"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::row_strips;

constexpr uint32_t kCbOut = index_of(Cb::Output);
constexpr uint32_t kTileRows = 32;
constexpr uint32_t kStripTiles = 4;
constexpr uint32_t kBlock = 128;

}  // namespace

void kernel_main() {
    const auto share = ColumnShare::read();
    const auto args = SplitWriterArgs::read();
    const TensorAccessor out(SplitWriterTensors::output(),
                             SplitWriterTensors::output_address(ColumnShare::kCount));
    uint32_t unit = share.first_unit;
    for (uint32_t i = 0; i < share.num_units; ++i, unit += share.unit_step) {
        const uint32_t first = unit * kTileRows;
        const uint32_t end = smaller(args.rows, first + kTileRows);
        for (uint32_t strip = 0; strip < share.num_strips; ++strip) {
            const uint32_t column = (share.first_strip + strip) * kBlock;
            const uint32_t bytes = smaller(kBlock, args.columns - column) * args.element_bytes;
            cb_wait_front(kCbOut, kStripTiles);
            uint32_t l1_addr = get_read_ptr(kCbOut);
            for (uint32_t row = first; row < end; ++row) {
                noc_async_write(l1_addr, out.get_noc_addr(row, column * args.element_bytes), bytes);
                l1_addr += kBlock * args.element_bytes;
            }
            // The strip's data has left L1; arrival is awaited once, at the end.
            noc_async_writes_flushed();
            cb_pop_front(kCbOut, kStripTiles);
        }
    }
    noc_async_write_barrier();
}
