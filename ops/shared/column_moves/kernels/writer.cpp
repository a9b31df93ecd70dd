// SPDX-License-Identifier: Apache-2.0
// Stores rows [first, first + count) as they arrive, a block of them at a time.
#include "args.hpp"
#include "dataflow_api.h"

using namespace tessera::ops;
using namespace tessera::ops::column_moves;

void kernel_main() {
    constexpr uint32_t kCbRows = index_of(Cb::Rows);
    const auto rows = RowRange::read();
    const uint32_t first = rows.first_row;
    const uint32_t end = first + rows.num_rows;
    const auto args = WriterArgs::read();
    const TensorAccessor output(WriterTensors::output(),
                                WriterTensors::output_address(RowRange::kCount));

    // One flush for a block: a flush waits for all writes of the core.
    for (uint32_t row = first; row < end; row += args.block) {
        cb_wait_front(kCbRows, args.block);
        for (uint32_t i = 0; i < args.block && row + i < end; ++i) {
            noc_async_write(get_read_ptr(kCbRows) + i * args.page_bytes,
                            output.get_noc_addr(row + i), args.row_bytes);
        }
        // The rows have left L1; the reader may fill their pages again.
        noc_async_writes_flushed();
        cb_pop_front(kCbRows, args.block);
    }
    noc_async_write_barrier();
}
