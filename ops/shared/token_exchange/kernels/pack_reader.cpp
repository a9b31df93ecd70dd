// SPDX-License-Identifier: Apache-2.0
// Reads this core's part of the rows that arrived apart, rank by rank, each with its place among
// all.
#include "piece_reader.hpp"
#include "routing.hpp"

void kernel_main() {
    const Shape shape = SHAPE_FROM_COMPILE_ARGS;
    const PacketPieces row{get_arg_val<uint32_t>(2), get_arg_val<uint32_t>(3)};
    const PacketPieces scales_row{get_arg_val<uint32_t>(4), get_arg_val<uint32_t>(3)};
    auto* go = semaphore_at(get_arg_val<uint32_t>(5));
    const uint32_t core = get_arg_val<uint32_t>(6);
    const uint32_t num_cores = get_arg_val<uint32_t>(7);

    constexpr auto apart_args = TensorAccessorArgs<kShapeArgs>();
    constexpr auto scales_args = TensorAccessorArgs<kShapeArgs + 2>();
    const auto apart = TensorAccessor(apart_args, get_arg_val<uint32_t>(0));
    const auto scales_apart = TensorAccessor(scales_args, get_arg_val<uint32_t>(1));

    // The counts are known when all tables have been walked.
    noc_semaphore_wait(go, 1);
    const auto* pairs = words_at(get_write_ptr(kCbPairs));
    PieceReader pieces(kCbRows);
    uint32_t dealt = 0;
    // In the order of ranks, as in two phases: the result does not depend on the number of phases.
    for (uint32_t bin = 0; bin < shape.bins_per_rank(); ++bin) {
        uint32_t place = 0;
        for (uint32_t rank = 0; rank < shape.num_ranks; ++rank) {
            const uint32_t rows = pairs[bin * shape.num_ranks + rank];
            for (uint32_t i = 0; i < rows; ++i, ++place) {
                // Rows are distributed to cores in turn; each core walks all of them and takes its
                // own.
                if (dealt++ % num_cores != core) {
                    continue;
                }
                const uint32_t from = shape.page_of(bin, rank * shape.pair_rows + i);
                push_command(1, 0, shape.page_of(bin, place));
                pieces.read(row, apart, from);
                pieces.read(scales_row, scales_apart, from);
            }
        }
    }
    // The last reads are pushed, then the end is announced.
    pieces.push();
    push_command(kEnd, 0, 0);
}
