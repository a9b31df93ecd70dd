// SPDX-License-Identifier: Apache-2.0
// Multiplies one block of output tiles after another; its sums stay in DST over all of the core's
// K. If several cores share K, the first adds the sums of the others, in their order.
#include "../../shared/valid_tiles/kernels/block_count.hpp"
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::moe_bmm;
using namespace tessera::ops::valid_tiles;

constexpr uint32_t cb_in0 = index_of(Cb::Input);
constexpr uint32_t cb_in1 = index_of(Cb::SecondInput);
constexpr uint32_t cb_blocks = index_of(Cb::ComputeBlocks);
constexpr uint32_t cb_arrived = index_of(Cb::Arrived);

struct Args : InnerArgs, BlockArgs, ComputeArgs {
    uint32_t block_tiles() const { return block_height * block_width; }
};

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
void drop_weights(const Args& args, uint32_t first_k, uint32_t end_k) {
    for (uint32_t k = first_k; k < end_k; k += args.k_block) {
        cb_wait_front(cb_in1, args.k_block * args.block_width);
        cb_pop_front(cb_in1, args.k_block * args.block_width);
    }
}

// Multiplies a block of rows x columns tiles; the sum stays in DST over all of the core's K.
void multiply(const Args& args, uint32_t rows, uint32_t columns, uint32_t first_k, uint32_t end_k) {
    for (; first_k < end_k; first_k += args.k_block) {
        const uint32_t num_k = args.k_block < end_k - first_k ? args.k_block : end_k - first_k;
        // Whole blocks, also at the end of K: buffers are multiples of blocks and wrap only at
        // their exact end.
        cb_wait_front(cb_in0, args.block_height * args.k_block);
        cb_wait_front(cb_in1, args.k_block * args.block_width);
        for (uint32_t k = 0; k < num_k; ++k) {
            matmul_block(cb_in0, cb_in1, k, k * args.block_width, 0, 0, columns, rows,
                         args.k_block);
        }
        cb_pop_front(cb_in0, args.block_height * args.k_block);
        cb_pop_front(cb_in1, args.k_block * args.block_width);
    }
}

// Packs the tiles of a block; the pages of a whole block are pushed.
void pack(const Args& args, uint32_t num_tiles) {
    cb_reserve_back(args.cb_out, args.block_tiles());
    tile_regs_wait();
    for (uint32_t tile = 0; tile < num_tiles; ++tile) {
        pack_tile(tile, args.cb_out);
    }
    tile_regs_release();
    cb_push_back(args.cb_out, args.block_tiles());
}

}  // namespace

void kernel_main() {
    const Args args{InnerArgs::read(), BlockArgs::read(), ComputeArgs::read()};
    const InnerRange::Each inner{BlockCount::kCount};
    const uint32_t end_k = inner.end_k();

    // From the host, or from the reader if the device splits the work.
    const uint32_t num_blocks = num_blocks_of(BlockCount::read().num_blocks);
    mm_block_init(cb_in0, cb_in1, args.cb_out, 0, args.block_width, args.block_height,
                  args.k_block);
    for (uint32_t block = 0; block < num_blocks; ++block) {
        cb_wait_front(cb_blocks, 1);
        // Announced by the reader: math and pack get the words from the unpacker.
        const uint32_t rows = read_tile_value(cb_blocks, 0, 0);
        const uint32_t columns = read_tile_value(cb_blocks, 0, 1);
        cb_pop_front(cb_blocks, 1);

        if (rows == 0) {
            drop_weights(args, inner.first_k(), end_k);
            continue;
        }
        // Blocks at the edge are smaller, so that the product is set up for each.
        mm_block_init_short(cb_in0, cb_in1, 0, columns, rows, args.k_block);
        tile_regs_acquire();
        multiply(args, rows, columns, inner.first_k(), end_k);
        if (args.num_parts_arriving != 0) {
            add_parts(args.num_parts_arriving, rows * columns, args.block_tiles());
        }
        tile_regs_commit();
        pack(args, rows * columns);
    }
}
