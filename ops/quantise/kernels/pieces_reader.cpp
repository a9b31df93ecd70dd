// SPDX-License-Identifier: Apache-2.0
// Brings the pieces of this core: 128 columns of a row each, 32 of them as the rows of a strip.
// Pieces beside each other in a row are one read.
#include "../../shared/expert_rows/kernels/counted_rows.hpp"
#include "../../shared/kernels/arithmetic.hpp"
#include "args.hpp"
#include "pieces.hpp"
#include "pieces_reading.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::quantise;

constexpr uint32_t cb_counts = index_of(Cb::ReaderCounts);

// Rows of a strip behind the last piece, and those that do not count, keep what they had: rows do
// not mix, and their codes are not stored.
template <class Accessor>
void push(const Accessor& input, const CountedRows& rows, const Pieces& pieces,
          uint32_t element_bytes, uint32_t first, uint32_t end) {
    cb_reserve_back(cb_rows, kStripTiles);
    const uint32_t stride = kPiece * element_bytes;
    const uint32_t l1_addr = get_write_ptr(cb_rows);
    pieces.for_each_run(first, end, kMostBytes / stride, [&](const Run& run) {
        if (!rows.is_counted(run.row)) {
            return;
        }
        const uint32_t to = l1_addr + (run.piece - first) * stride;
        noc_async_read(input.get_noc_addr(run.row, run.column * element_bytes), to,
                       run.columns * element_bytes);
        // Elements beyond the row must not be the largest of its piece.
        clear(to + run.columns * element_bytes, to + run.count * stride);
    });
    noc_async_read_barrier();
    cb_push_back(cb_rows, kStripTiles);
}

}  // namespace

void kernel_main() {
    const auto range = GroupRange::read();
    const auto args = PieceArgs::read();
    const uint32_t element_bytes = PieceReaderArgs::read().element_bytes;
    const auto input =
        TensorAccessor(ReaderTensors::input(), ReaderTensors::input_address(GroupRange::kCount));
    const auto counts =
        TensorAccessor(ReaderTensors::counts(), ReaderTensors::counts_address(GroupRange::kCount));
    const Pieces pieces = pieces_of(args);
    const uint32_t first = range.first_group * args.group_pieces;
    const uint32_t end = smaller(first + range.num_groups * args.group_pieces, args.num_pieces);
    const CountedRows rows =
        counted_rows(counts, cb_counts, first / pieces.per_row, div_up(end, pieces.per_row));

    push_ones();
    for (uint32_t group = first; group < end; group += args.group_pieces) {
        // The last group has as many strips as the others; those without pieces are not stored.
        const uint32_t group_end = group + args.group_pieces;
        for (uint32_t strip = group; strip < group_end; strip += kStripRows) {
            const uint32_t strip_end = smaller(strip + kStripRows, group_end);
            push(input, rows, pieces, element_bytes, strip, smaller(strip_end, end));
        }
    }
}
