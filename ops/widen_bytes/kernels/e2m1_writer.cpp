// SPDX-License-Identifier: Apache-2.0
// Writes this core's pieces of rows: two tiles of 32 rows of 32 numbers, which are parts of 512
// columns in turn.
#include "../../shared/expert_rows/kernels/counted_rows.hpp"
#include "../../shared/kernels/arithmetic.hpp"
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::widen_bytes;

constexpr uint32_t cb_output = index_of(Cb::Output);
constexpr uint32_t kTileBytes = 2048;
constexpr uint32_t kPartBytes = kTileBytes / 2;

}  // namespace

void kernel_main() {
    const auto args = PieceArgs::read();
    const auto range = PieceRange::read();
    constexpr uint32_t kElements = 4;  // bytes of bfloat16 that a byte of codes becomes
    const auto output =
        TensorAccessor(WriterTensors::output(), WriterTensors::output_address(PieceRange::kCount));
    const auto counts =
        TensorAccessor(WriterTensors::counts(), WriterTensors::counts_address(PieceRange::kCount));
    const uint32_t end = range.first_piece + range.num_pieces;
    const CountedRows rows =
        counted_rows(counts, index_of(Cb::WriterCounts), range.first_piece / args.pieces,
                     div_up(end, args.pieces));
    for (uint32_t piece = range.first_piece; piece < end; ++piece) {
        const uint32_t row = piece / args.pieces;
        if (!rows.is_counted(row)) {
            continue;
        }
        const uint32_t at = piece % args.pieces * kPieceBytes;
        const uint32_t bytes = smaller(kPieceBytes, args.row_bytes - at) * kElements;
        cb_wait_front(cb_output, kPieceTiles);
        const uint32_t tiles = get_read_ptr(cb_output);
        for (uint32_t done = 0; done < bytes; done += kPartBytes) {
            const uint32_t part = done / kPartBytes;
            noc_async_write(tiles + part % 2 * kTileBytes + part / 2 * kPartBytes,
                            output.get_noc_addr(row, at * kElements + done),
                            smaller(kPartBytes, bytes - done));
        }
        noc_async_writes_flushed();
        cb_pop_front(cb_output, kPieceTiles);
    }
    noc_async_write_barrier();
}
