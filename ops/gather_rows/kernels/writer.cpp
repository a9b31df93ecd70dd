// SPDX-License-Identifier: Apache-2.0
// Stores this core's rows of the output as they arrive.
#include "../../shared/expert_rows/kernels/row_pieces.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::row_moves;

constexpr uint32_t cb_rows = index_of(Cb::Rows);
constexpr uint32_t cb_limit = index_of(Cb::WriterLimit);

}  // namespace

void kernel_main() {
    const auto range = RowRange::read();
    const auto piece_args = PieceArgs::read();
    const RowPieces pieces = row_pieces(piece_args);
    const uint32_t output_first = WriterArgs::read().output_first;
    const auto limit =
        TensorAccessor(WriterTensors::limit(), WriterTensors::limit_address(RowRange::kCount));
    const auto output =
        TensorAccessor(WriterTensors::output(), WriterTensors::output_address(RowRange::kCount));

    // The limit is read again here: the two RISCs share no variable.
    const CoreRows rows =
        rows_of_core(limit, static_cast<Limit>(piece_args.limited), cb_limit, range);
    PieceTaker taker{cb_rows, pieces};
    for (uint32_t row = rows.first; row < rows.end; ++row) {
        for (uint32_t offset = 0; offset < pieces.row_bytes; offset += pieces.piece_bytes) {
            noc_async_write(taker.next(), output.get_noc_addr(output_first + row, offset),
                            pieces.length_at(offset));
            taker.taken();
        }
    }
    taker.finish();
    // Flushes of the pieces freed their pages; one barrier waits for arrival.
    noc_async_write_barrier();
}
