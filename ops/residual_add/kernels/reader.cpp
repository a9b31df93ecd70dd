// SPDX-License-Identifier: Apache-2.0
// Reads the same piece of both tensors at a time.
#include "pieces.hpp"

void kernel_main() {
    constexpr uint32_t kCbA = index_of(Cb::A);
    constexpr uint32_t kCbB = index_of(Cb::B);
    const auto range = PieceRange::read();
    const TilePieces pieces = tile_pieces();
    const TensorAccessor a(ReaderTensors::a(), ReaderTensors::a_address(PieceRange::kCount));
    const TensorAccessor b(ReaderTensors::b(), ReaderTensors::b_address(PieceRange::kCount));

    const uint32_t end = range.first_piece + range.num_pieces;
    for (uint32_t piece = range.first_piece; piece < end; ++piece) {
        cb_reserve_back(kCbA, 1);
        cb_reserve_back(kCbB, 1);
        const uint32_t a_l1 = get_write_ptr(kCbA);
        const uint32_t b_l1 = get_write_ptr(kCbB);
        pieces.for_each_part(piece,
                             [&](uint32_t row, uint32_t offset, uint32_t place, uint32_t bytes) {
                                 noc_async_read(a.get_noc_addr(row, offset), a_l1 + place, bytes);
                                 noc_async_read(b.get_noc_addr(row, offset), b_l1 + place, bytes);
                             });
        // One barrier for both operands: their reads overlap.
        noc_async_read_barrier();
        cb_push_back(kCbA, 1);
        cb_push_back(kCbB, 1);
    }
}
