// SPDX-License-Identifier: Apache-2.0
// Reads this core's pieces of rows.
#include "../../shared/kernels/arithmetic.hpp"
#include "args.hpp"

using namespace tessera::ops;
using namespace tessera::ops::widen_bytes;

void kernel_main() {
    const auto args = PieceArgs::read();
    const auto range = PieceRange::read();
    constexpr uint32_t cb_bytes = index_of(Cb::Bytes);
    const auto bytes =
        TensorAccessor(ReaderTensors::bytes(), ReaderTensors::bytes_address(PieceRange::kCount));

    for (uint32_t piece = range.first_piece; piece < range.first_piece + range.num_pieces;
         ++piece) {
        const uint32_t column = piece % args.pieces * kPieceColumns;
        cb_reserve_back(cb_bytes, 1);
        // Elements after the end of a row keep what the page held; they are not stored.
        noc_async_read(bytes.get_noc_addr(piece / args.pieces, column), get_write_ptr(cb_bytes),
                       smaller(kPieceColumns, args.columns - column));
        noc_async_read_barrier();
        cb_push_back(cb_bytes, 1);
    }
}
