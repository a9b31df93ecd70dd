// SPDX-License-Identifier: Apache-2.0
// Finds this core's blocks of output tiles among the routed tokens and announces each to compute
// and writer. It feeds compute the operands, K tiles in blocks.
#include "../../shared/valid_tiles/kernels/core_share.hpp"
#include "operands.hpp"

namespace {

// Walks the blocks of all experts in ascending order.
struct BlockWalk {
    const Shapes& shapes;
    const TokenCounts& counts;
    uint32_t expert = 0;
    uint32_t blocks_before = 0;  // of all experts before this one

    uint32_t num_tokens() const { return counts.of(expert); }
    uint32_t blocks_across() const { return div_up(shapes.column_tiles, shapes.block_width); }
    uint32_t num_blocks() const {
        return div_up(div_up(num_tokens(), tile_height), shapes.block_height) * blocks_across();
    }

    Block find(uint32_t index) {
        // Indices of a core ascend, so that experts are never walked twice.
        for (uint32_t n = num_blocks(); index - blocks_before >= n; n = num_blocks()) {
            blocks_before += n;
            ++expert;
        }
        const uint32_t row = (index - blocks_before) / blocks_across() * shapes.block_height;
        const uint32_t column = (index - blocks_before) % blocks_across() * shapes.block_width;
        // The last block of rows of an expert, and of columns, may be smaller.
        return {expert,
                expert * shapes.token_tiles + row,
                column,
                smaller(shapes.block_height, div_up(num_tokens(), tile_height) - row),
                smaller(shapes.block_width, shapes.column_tiles - column),
                num_tokens() - row * tile_height};
    }
};

// Pushes have the pages of whole blocks, also where fewer tiles are left: a circular buffer wraps
// only where a push ends exactly at its limit.
template <class Accessor0, class Accessor1>
void feed(const Accessor0& in0, const Accessor1& in1, const Shapes& shapes, const Block& block,
          uint32_t first_k_tile, uint32_t end_k_tile) {
    const uint32_t in0_pages = shapes.block_height * shapes.k_block;
    const uint32_t in1_pages = shapes.k_block * shapes.block_width;
    for (uint32_t first_k = first_k_tile; first_k < end_k_tile; first_k += shapes.k_block) {
        const uint32_t num_k = smaller(shapes.k_block, end_k_tile - first_k);
        cb_reserve_back(cb_in0, in0_pages);
        // Both operands share a barrier, so that their reads overlap.
        read_in0(in0, shapes, block, first_k, num_k);
        cb_reserve_back(cb_in1, in1_pages);
        read_in1(in1, shapes, block, first_k, num_k);
        noc_async_read_barrier();
        cb_push_back(cb_in0, in0_pages);
        cb_push_back(cb_in1, in1_pages);
    }
}

}  // namespace

void kernel_main() {
    const uint32_t in0_addr = get_arg_val<uint32_t>(0);
    const uint32_t in1_addr = get_arg_val<uint32_t>(1);
    const uint32_t counts_addr = get_arg_val<uint32_t>(2);
    const Shapes shapes{.token_tiles = get_compile_time_arg_val(0),
                        .k_tiles = get_compile_time_arg_val(1),
                        .column_tiles = get_compile_time_arg_val(2),
                        .k_block = get_compile_time_arg_val(3),
                        .block_height = get_compile_time_arg_val(4),
                        .block_width = get_compile_time_arg_val(5),
                        .tile_size = static_cast<uint32_t>(get_tile_size(cb_in0))};
    const uint32_t num_experts = get_compile_time_arg_val(6);
    const uint32_t counts_stride = get_compile_time_arg_val(7);
    const uint32_t splits_here = get_compile_time_arg_val(8);
    constexpr auto in0_args = TensorAccessorArgs<9>();
    constexpr auto in1_args = TensorAccessorArgs<in0_args.next_compile_time_args_offset()>();
    constexpr auto counts_args = TensorAccessorArgs<in1_args.next_compile_time_args_offset()>();
    const auto in0 = TensorAccessor(in0_args, in0_addr, shapes.tile_size);
    const auto in1 = TensorAccessor(in1_args, in1_addr, shapes.tile_size);
    const TokenCounts counts =
        read_counts(TensorAccessor(counts_args, counts_addr, sizeof(uint32_t)),
                    get_write_ptr(cb_counts), counts_stride, num_experts);

    // The host's share, or one from the counts in device memory.
    Share share{get_arg_val<uint32_t>(3), get_arg_val<uint32_t>(4), get_arg_val<uint32_t>(5)};
    if (splits_here != 0) {
        const BlockShape block{shapes.column_tiles, shapes.block_height, shapes.block_width};
        share = share_of_blocks(core_of_args(3), count_blocks(counts, block));
        announce(cb_compute_blocks, share.count, 0, 0, 0);
    }
    // This core's part of K.
    const uint32_t first_k = get_arg_val<uint32_t>(6);
    const uint32_t end_k = get_arg_val<uint32_t>(7);
    BlockWalk walk{shapes, counts};
    for (uint32_t i = 0; i < share.count; ++i) {
        const Block block = walk.find(share.first + i * share.stride);
        // Announced before the reads: the writer and compute need only numbers.
        announce(cb_compute_blocks, block.rows, block.columns, 0, 0);
        announce(cb_writer_blocks, block.row * shapes.column_tiles + block.column, block.rows,
                 block.columns, block.num_tokens);
        feed(in0, in1, shapes, block, first_k, end_k);
    }
}
