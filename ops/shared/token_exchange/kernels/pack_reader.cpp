// SPDX-License-Identifier: Apache-2.0
// Reads this core's part of the rows that arrived apart, rank by rank, each with its place among
// all.
#include "piece_reader.hpp"
#include "routing.hpp"

namespace {

using namespace tessera::ops::token_exchange;

// Calls act(bin, rank, index, place) for each row that arrived, in the order of ranks as in two
// phases: the result does not depend on the number of phases.
template <typename Act>
void for_each_row(const Shape& shape, Act act) {
    const auto* pairs = words_at(get_write_ptr(kCbPairs));
    for (uint32_t bin = 0; bin < bins_per_rank(shape); ++bin) {
        uint32_t place = 0;
        for (uint32_t rank = 0; rank < shape.num_ranks; ++rank) {
            const uint32_t rows = pairs[bin * shape.num_ranks + rank];
            for (uint32_t i = 0; i < rows; ++i, ++place) {
                act(bin, rank, i, place);
            }
        }
    }
}

}  // namespace

void kernel_main() {
    const auto shape = Shape::read();
    const PackArgs::Each args{PackTensors::Addresses::kCount};
    const PacketPieces row{args.row_bytes(), args.piece_bytes()};
    const PacketPieces scales_row{args.scales_bytes(), args.piece_bytes()};
    auto* go = semaphore_at(args.go_semaphore());
    const uint32_t core = args.core();
    const uint32_t num_cores = args.num_cores();
    const auto apart = TensorAccessor(PackTensors::rows(), PackTensors::rows_address());
    const auto scales_apart = TensorAccessor(PackTensors::scales(), PackTensors::scales_address());

    // The counts are known when all tables have been walked.
    noc_semaphore_wait(go, 1);
    PieceReader pieces(kCbRows);
    uint32_t num_seen = 0;
    for_each_row(shape, [&](uint32_t bin, uint32_t rank, uint32_t index, uint32_t place) {
        // Rows are distributed to cores in turn; each core walks all of them and takes its own.
        if (num_seen++ % num_cores != core) {
            return;
        }
        const uint32_t from = page_of(shape, bin, rank * shape.pair_rows + index);
        push_command(1, 0, page_of(shape, bin, place));
        pieces.read(row, apart, from);
        pieces.read(scales_row, scales_apart, from);
    });
    // The last reads are pushed, then the end is announced.
    pieces.push();
    push_command(kEnd, 0, 0);
}
