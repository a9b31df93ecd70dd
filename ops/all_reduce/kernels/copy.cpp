// SPDX-License-Identifier: Apache-2.0
// A mesh of one device: rows are copied as they are.
#include "args.hpp"

using namespace tessera::ops;
using namespace tessera::ops::all_reduce;

void kernel_main() {
    const auto addresses = CopyTensors::Addresses::read();
    const auto range = CopyRange::read(CopyTensors::Addresses::kCount);
    const auto input = TensorAccessor(CopyTensors::input(), addresses.input);
    const auto output = TensorAccessor(CopyTensors::output(), addresses.output);
    const uint32_t l1_address = get_write_ptr(index_of(CopyCb::Piece));

    for (uint32_t row = range.first_row; row < range.first_row + range.num_rows; ++row) {
        for (uint32_t offset = 0; offset < range.row_bytes; offset += range.piece_bytes) {
            const uint32_t left = range.row_bytes - offset;
            const uint32_t bytes = left < range.piece_bytes ? left : range.piece_bytes;
            noc_async_read(input.get_noc_addr(row, offset), l1_address, bytes);
            // The piece has one place in L1, so that its read must be complete.
            noc_async_read_barrier();
            noc_async_write(l1_address, output.get_noc_addr(row, offset), bytes);
            // The next read overwrites the piece; its data has left L1 then.
            noc_async_writes_flushed();
        }
    }
    noc_async_write_barrier();
}
