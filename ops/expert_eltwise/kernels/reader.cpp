// SPDX-License-Identifier: Apache-2.0
// Reads this core's tiles that hold tokens, from one input or two, and announces each to the
// writer.
#include "../../shared/valid_tiles/kernels/core_share.hpp"

namespace {

constexpr uint32_t cb_in0 = tt::CBIndex::c_0;
constexpr uint32_t cb_in1 = tt::CBIndex::c_1;
constexpr uint32_t cb_counts = tt::CBIndex::c_2;
constexpr uint32_t cb_compute_blocks = tt::CBIndex::c_4;
constexpr uint32_t cb_writer_blocks = tt::CBIndex::c_5;
constexpr uint32_t tile_height = tt::constants::TILE_HEIGHT;

// A tile that holds tokens.
struct ValidTile {
    uint32_t tile;
    uint32_t num_tokens;  // from its first row on
};

// Walks the tiles that hold tokens, expert by expert.
struct ValidTileWalk {
    uint32_t token_tiles;
    uint32_t column_tiles;
    const TokenCounts& counts;
    uint32_t expert = 0;
    uint32_t tiles_before = 0;  // that hold tokens, of all experts before this one

    uint32_t num_tiles() const { return counts.tile_rows(expert) * column_tiles; }

    ValidTile find(uint32_t index) {
        // Experts are skipped whole. Indices of a core ascend, so that the walk never goes back.
        for (uint32_t n = num_tiles(); index - tiles_before >= n; n = num_tiles()) {
            tiles_before += n;
            ++expert;
        }
        const uint32_t in_expert = index - tiles_before;
        // Rows from the expert's first tile row on; more than 32 means a full tile.
        return {expert * token_tiles * column_tiles + in_expert,
                counts.of(expert) - in_expert / column_tiles * tile_height};
    }
};

void tell_compute(uint32_t num_tiles) {
    // Before the first tile, so that compute can start its loop.
    cb_reserve_back(cb_compute_blocks, 1);
    *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb_compute_blocks)) = num_tiles;
    cb_push_back(cb_compute_blocks, 1);
}

// To the writer, a tile is a block of one row and one column.
void announce(const ValidTile& valid) {
    cb_reserve_back(cb_writer_blocks, 1);
    volatile tt_l1_ptr uint32_t* words =
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb_writer_blocks));
    words[0] = valid.tile;
    words[1] = 1;
    words[2] = 1;
    words[3] = valid.num_tokens;
    cb_push_back(cb_writer_blocks, 1);
}

}  // namespace

void kernel_main() {
    const uint32_t counts_addr = get_arg_val<uint32_t>(0);
    const uint32_t in0_addr = get_arg_val<uint32_t>(1);
    const uint32_t in1_addr = get_arg_val<uint32_t>(2);
    const uint32_t token_tiles = get_compile_time_arg_val(0);
    const uint32_t column_tiles = get_compile_time_arg_val(1);
    const uint32_t num_experts = get_compile_time_arg_val(2);
    const uint32_t counts_stride = get_compile_time_arg_val(3);
    const uint32_t num_inputs = get_compile_time_arg_val(4);
    const uint32_t splits_here = get_compile_time_arg_val(5);
    constexpr auto counts_args = TensorAccessorArgs<6>();
    constexpr auto in0_args = TensorAccessorArgs<counts_args.next_compile_time_args_offset()>();
    constexpr auto in1_args = TensorAccessorArgs<in0_args.next_compile_time_args_offset()>();
    const uint32_t tile_size = get_tile_size(cb_in0);
    const auto in0 = TensorAccessor(in0_args, in0_addr, tile_size);
    const auto in1 = TensorAccessor(in1_args, in1_addr, tile_size);

    const TokenCounts counts =
        read_counts(TensorAccessor(counts_args, counts_addr, sizeof(uint32_t)),
                    get_write_ptr(cb_counts), counts_stride, num_experts);
    // The host's share, or one from the counts.
    Share share{get_arg_val<uint32_t>(3), 1, get_arg_val<uint32_t>(5)};
    if (splits_here != 0) {
        share = share_of_blocks(core_of_args(3), count_blocks(counts, {column_tiles, 1, 1}));
        tell_compute(share.count);
    }

    ValidTileWalk walk{token_tiles, column_tiles, counts};
    for (uint32_t index = share.first; index < share.first + share.count; ++index) {
        const ValidTile valid = walk.find(index);
        // Announced before it is read: the writer needs only numbers.
        announce(valid);
        cb_reserve_back(cb_in0, 1);
        noc_async_read_page(valid.tile, in0, get_write_ptr(cb_in0));
        if (num_inputs == 2) {
            cb_reserve_back(cb_in1, 1);
            noc_async_read_page(valid.tile, in1, get_write_ptr(cb_in1));
        }
        // One barrier for both inputs.
        noc_async_read_barrier();
        cb_push_back(cb_in0, 1);
        if (num_inputs == 2) {
            cb_push_back(cb_in1, 1);
        }
    }
}
