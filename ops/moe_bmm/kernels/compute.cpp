// SPDX-License-Identifier: Apache-2.0
// Multiplies one block of output tiles after another; its sums stay in DST over all of the core's
// K. If several cores share K, the first adds the sums of the others, in their order.
#include "../../shared/valid_tiles/kernels/block_count.hpp"

namespace {

constexpr uint32_t cb_in0 = tt::CBIndex::c_0;
constexpr uint32_t cb_in1 = tt::CBIndex::c_1;
constexpr uint32_t cb_blocks = tt::CBIndex::c_4;
constexpr uint32_t cb_arrived = tt::CBIndex::c_8;

// Adds the same block's sums of `num_parts` other cores; DST has a tile left after the block.
void add_parts(uint32_t num_parts, uint32_t num_tiles, uint32_t block_tiles) {
    // Another core's sums are fp32 and pass to DST directly; the product's setting is restored
    // after them.
    reconfig_data_format_srca(cb_in1, cb_arrived);
    copy_tile_init(cb_arrived);
    add_binary_tile_init();
    cb_wait_front(cb_arrived, num_parts * block_tiles);
    // All parts are awaited together: they have one place each, and the writer pushes them at once.
    for (uint32_t part = 0; part < num_parts; ++part) {
        for (uint32_t tile = 0; tile < num_tiles; ++tile) {
            copy_tile(cb_arrived, part * block_tiles + tile, block_tiles);
            add_binary_tile(tile, block_tiles, tile);
        }
    }
    cb_pop_front(cb_arrived, num_parts * block_tiles);
    reconfig_data_format_srca(cb_arrived, cb_in1);
}

// Drops the weights of a step in which this core has no rows of tokens.
void let_weights_pass(uint32_t first_k, uint32_t end_k, uint32_t k_block, uint32_t block_width) {
    for (uint32_t k = first_k; k < end_k; k += k_block) {
        cb_wait_front(cb_in1, k_block * block_width);
        cb_pop_front(cb_in1, k_block * block_width);
    }
}

}  // namespace

void kernel_main() {
    const uint32_t k_block = get_compile_time_arg_val(0);
    const uint32_t block_height = get_compile_time_arg_val(1);
    const uint32_t block_width = get_compile_time_arg_val(2);
    const uint32_t num_parts_arriving = get_compile_time_arg_val(3);
    const uint32_t cb_out = get_compile_time_arg_val(4);
    const uint32_t end_k = get_arg_val<uint32_t>(2);

    // From the host, or from the reader if the device splits the work.
    const uint32_t num_blocks = num_blocks_of(get_arg_val<uint32_t>(0), cb_blocks);
    mm_block_init(cb_in0, cb_in1, cb_out, 0, block_width, block_height, k_block);
    for (uint32_t block = 0; block < num_blocks; ++block) {
        cb_wait_front(cb_blocks, 1);
        // Announced by the reader: math and pack get the words from the unpacker.
        const uint32_t rows = read_tile_value(cb_blocks, 0, 0);
        const uint32_t columns = read_tile_value(cb_blocks, 0, 1);
        cb_pop_front(cb_blocks, 1);

        if (rows == 0) {
            let_weights_pass(get_arg_val<uint32_t>(1), end_k, k_block, block_width);
            continue;
        }
        // Blocks at the edge are smaller, so that the product is set up for each.
        mm_block_init_short(cb_in0, cb_in1, 0, columns, rows, k_block);
        tile_regs_acquire();
        // The sum stays in DST over all of the core's K.
        for (uint32_t first_k = get_arg_val<uint32_t>(1); first_k < end_k; first_k += k_block) {
            const uint32_t num_k = k_block < end_k - first_k ? k_block : end_k - first_k;
            // Whole blocks, also at the end of K: buffers are multiples of blocks and wrap only at
            // their exact end.
            cb_wait_front(cb_in0, block_height * k_block);
            cb_wait_front(cb_in1, k_block * block_width);
            for (uint32_t k = 0; k < num_k; ++k) {
                matmul_block(cb_in0, cb_in1, k, k * block_width, 0, 0, columns, rows, k_block);
            }
            cb_pop_front(cb_in0, block_height * k_block);
            cb_pop_front(cb_in1, k_block * block_width);
        }
        if (num_parts_arriving != 0) {
            add_parts(num_parts_arriving, rows * columns, block_height * block_width);
        }
        tile_regs_commit();

        cb_reserve_back(cb_out, block_height * block_width);
        tile_regs_wait();
        // Only tiles of the block are packed; the pages of a whole block are pushed.
        for (uint32_t tile = 0; tile < rows * columns; ++tile) {
            pack_tile(tile, cb_out);
        }
        tile_regs_release();
        cb_push_back(cb_out, block_height * block_width);
    }
}
