// SPDX-License-Identifier: Apache-2.0
// Reads this core's pieces of rows.
#include "../../shared/expert_rows/kernels/counted_rows.hpp"
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
    const auto counts =
        TensorAccessor(ReaderTensors::counts(), ReaderTensors::counts_address(PieceRange::kCount));
    const uint32_t end = range.first_piece + range.num_pieces;
    const CountedRows rows =
        counted_rows(counts, index_of(Cb::ReaderCounts), range.first_piece / args.pieces,
                     div_up(end, args.pieces));

    push_counted(rows, {args.pieces, range.first_piece, end}, index_of(Cb::Counted));
    for (uint32_t piece = range.first_piece; piece < end; ++piece) {
        const uint32_t at = piece % args.pieces * kPieceBytes;
        if (!rows.is_counted(piece / args.pieces)) {
            continue;
        }
        cb_reserve_back(cb_bytes, 1);
        // Elements after the end of a row keep what the page held; they are not stored.
        noc_async_read(bytes.get_noc_addr(piece / args.pieces, at), get_write_ptr(cb_bytes),
                       smaller(kPieceBytes, args.row_bytes - at));
        noc_async_read_barrier();
        cb_push_back(cb_bytes, 1);
    }
}
