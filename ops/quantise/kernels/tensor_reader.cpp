// SPDX-License-Identifier: Apache-2.0
// Brings the tiles of this core, 8 pieces of 128 columns each; twice, if L1 cannot keep them until
// their scale is known. Rows that do not count are zeros.
#include "../../shared/expert_rows/kernels/counted_rows.hpp"
#include "args.hpp"
#include "pieces_reading.hpp"
#include "tensor_turns.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::quantise;

constexpr uint32_t cb_counts = index_of(Cb::ReaderCounts);
// Turns that a barrier waits for, if all have a place of their own in L1.
constexpr uint32_t kTurnsAtOnce = 4;

// Reads pieces [first, end) of a turn, and clears those behind them.
template <class Accessor>
void read_turn(const Accessor& input, const CountedRows& rows, const Pieces& pieces,
               uint32_t element_bytes, uint32_t first, uint32_t end, uint32_t l1_addr) {
    const uint32_t stride = kPiece * element_bytes;
    pieces.for_each_run(first, end, kMostBytes / stride, [&](const Run& run) {
        const uint32_t to = l1_addr + (run.piece - first) * stride;
        const uint32_t bytes = rows.is_counted(run.row) ? run.columns * element_bytes : 0;
        if (bytes != 0) {
            noc_async_read(input.get_noc_addr(run.row, run.column * element_bytes), to, bytes);
        }
        clear(to + bytes, to + run.count * stride);
    });
    clear(l1_addr + (end - first) * stride, l1_addr + TensorTurns::kPieces * stride);
}

}  // namespace

void kernel_main() {
    const auto range = TensorRange::read();
    const auto args = TensorArgs::read();
    const uint32_t element_bytes = PieceReaderArgs::read().element_bytes;
    const auto input =
        TensorAccessor(ReaderTensors::input(), ReaderTensors::input_address(TensorRange::kCount));
    const auto counts =
        TensorAccessor(ReaderTensors::counts(), ReaderTensors::counts_address(TensorRange::kCount));
    const Pieces pieces{args.pieces, args.columns};
    const TensorTurns turns = turns_of(args, range);
    const CountedRows rows = counted_rows(counts, cb_counts, turns.first / pieces.per_row,
                                          div_up(turns.end, pieces.per_row));
    const uint32_t turn_bytes = TensorTurns::kPieces * kPiece * element_bytes;
    const uint32_t at_once = args.is_kept != 0 ? kTurnsAtOnce : 1;

    push_ones();
    for (uint32_t pass = 0; pass < (args.is_kept != 0 ? 1U : 2U); ++pass) {
        for (uint32_t turn = 0; turn < turns.count; turn += at_once) {
            const uint32_t count = smaller(at_once, turns.count - turn);
            cb_reserve_back(cb_rows, count * kTensorTurn);
            for (uint32_t i = 0; i < count; ++i) {
                const uint32_t piece = turns.piece(turn + i);
                read_turn(input, rows, pieces, element_bytes, piece,
                          smaller(piece + TensorTurns::kPieces, turns.end),
                          get_write_ptr(cb_rows) + i * turn_bytes);
            }
            noc_async_read_barrier();
            cb_push_back(cb_rows, count * kTensorTurn);
        }
    }
}
