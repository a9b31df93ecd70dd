// SPDX-License-Identifier: Apache-2.0
// Writes this core's pieces of rows as they arrive.
#include "../../shared/expert_rows/kernels/counted_rows.hpp"
#include "../../shared/kernels/arithmetic.hpp"
#include "args.hpp"

using namespace tessera::ops;
using namespace tessera::ops::widen_bytes;

void kernel_main() {
    const auto args = PieceArgs::read();
    const auto range = PieceRange::read();
    constexpr uint32_t cb_output = index_of(Cb::Output);
    constexpr uint32_t kElement = 2;  // bytes of bfloat16
    const auto output =
        TensorAccessor(WriterTensors::output(), WriterTensors::output_address(PieceRange::kCount));
    const auto counts =
        TensorAccessor(WriterTensors::counts(), WriterTensors::counts_address(PieceRange::kCount));
    const uint32_t end = range.first_piece + range.num_pieces;
    const CountedRows rows =
        counted_rows(counts, index_of(Cb::WriterCounts), range.first_piece / args.pieces,
                     div_up(end, args.pieces));

    for (uint32_t piece = range.first_piece; piece < end; ++piece) {
        const uint32_t at = piece % args.pieces * kPieceBytes;
        if (!rows.is_counted(piece / args.pieces)) {
            continue;
        }
        cb_wait_front(cb_output, 1);
        noc_async_write(get_read_ptr(cb_output),
                        output.get_noc_addr(piece / args.pieces, at * kElement),
                        smaller(kPieceBytes, args.row_bytes - at) * kElement);
        noc_async_writes_flushed();
        cb_pop_front(cb_output, 1);
    }
    noc_async_write_barrier();
}
