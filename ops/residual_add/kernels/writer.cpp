// SPDX-License-Identifier: Apache-2.0
// Stores pieces as they arrive.
#include "pieces.hpp"

void kernel_main() {
    constexpr uint32_t kCbOut = index_of(Cb::Output);
    const auto range = PieceRange::read();
    const TilePieces pieces = tile_pieces();
    const TensorAccessor output(WriterTensors::output(),
                                WriterTensors::output_address(PieceRange::kCount));

    const uint32_t end = range.first_piece + range.num_pieces;
    for (uint32_t piece = range.first_piece; piece < end; ++piece) {
        cb_wait_front(kCbOut, 1);
        const uint32_t l1_addr = get_read_ptr(kCbOut);
        pieces.for_each_part(
            piece, [&](uint32_t row, uint32_t offset, uint32_t place, uint32_t bytes) {
                noc_async_write(l1_addr + place, output.get_noc_addr(row, offset), bytes);
            });
        // The data has left L1; one barrier at the end waits for arrival.
        noc_async_writes_flushed();
        cb_pop_front(kCbOut, 1);
    }
    noc_async_write_barrier();
}
