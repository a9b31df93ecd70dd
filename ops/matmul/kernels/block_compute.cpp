// SPDX-License-Identifier: Apache-2.0
// Multiplies K blocks subblock by subblock. Partial sums of a subblock go to L1 after each block.
// They are reloaded into DST for the next block, or the packer accumulates them in L1.
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::matmul;

constexpr uint32_t cb_in0 = index_of(Cb::In0);
constexpr uint32_t cb_in1 = index_of(Cb::In1);
constexpr uint32_t cb_out = index_of(Cb::Out);
constexpr uint32_t cb_partials = index_of(Cb::Partials);

struct Shape : BlockComputeArgs {
    bool adds_in_l1;        // accumulates_in_l1, as a condition
    bool has_other_format;  // changes_format, as a condition

    uint32_t subblock_tiles() const { return subblock_h * subblock_w; }
};

// Loads the sums of the K blocks before into DST.
void reload_partials(const Shape& shape) {
    // The unpacker is set for in0 and in1, whose format may differ from that of partial sums. The
    // setting of the product is restored after the copy.
    copy_tile_to_dst_init_short_with_dt(cb_in1, cb_partials);
    cb_wait_front(cb_partials, shape.subblock_tiles());
    copy_block_matmul_partials(cb_partials, 0, 0, shape.subblock_tiles());
    cb_pop_front(cb_partials, shape.subblock_tiles());
    mm_block_init_short_with_dt(cb_in0, cb_in1, cb_partials, 0, shape.subblock_w, shape.subblock_h,
                                shape.block_k);
}

// Multiplies the subblock that starts at `row` of in0's block and at `column` of in1's.
void multiply_subblock(const Shape& shape, uint32_t row, uint32_t column) {
    // DST accumulates, so K is the outer loop: all tiles of a subblock stay in DST until the block
    // is added.
    for (uint32_t k = 0; k < shape.block_k; ++k) {
        matmul_block(cb_in0, cb_in1, row * shape.block_k + k, k * shape.block_w + column, 0, 0,
                     shape.subblock_w, shape.subblock_h, shape.block_k);
    }
}

void pack_subblock(const Shape& shape, uint32_t cb) {
    pack_tile_block(0, cb, shape.subblock_tiles());
    tile_regs_release();
    cb_push_back(cb, shape.subblock_tiles());
}

void pack_partials(const Shape& shape, uint32_t k_block) {
    tile_regs_commit();
    cb_reserve_back(cb_partials, shape.subblock_tiles());
    tile_regs_wait();
    if (shape.adds_in_l1 && k_block <= 1) {
        pack_reconfig_l1_acc(k_block);  // the first block overwrites, the second one begins to add
    }
    pack_subblock(shape, cb_partials);
}

void pack_output(const Shape& shape) {
    tile_regs_commit();
    cb_reserve_back(cb_out, shape.subblock_tiles());
    tile_regs_wait();
    // Partial sums, or the pass before, left the packer in their format.
    if (shape.has_other_format) {
        pack_reconfig_data_format(cb_out);
    }
    // The last block reloaded the sums, so the output must overwrite: DST holds the whole sum.
    if (shape.adds_in_l1) {
        pack_reconfig_l1_acc(0);
    }
    pack_subblock(shape, cb_out);
}

// Pops the sums unread, so that packs of the next block go to the same pages and accumulate. The
// second to last block leaves them for the last block, which reloads them.
void rewind_partials(const Shape& shape) {
    for (uint32_t tile = 0; tile < shape.block_h * shape.block_w; tile += shape.subblock_tiles()) {
        cb_wait_front(cb_partials, shape.subblock_tiles());
        cb_pop_front(cb_partials, shape.subblock_tiles());
    }
}

void multiply_k_block(const Shape& shape, uint32_t k_block) {
    const bool is_last = k_block + 1 == shape.num_k_blocks;
    // If the packer adds in L1, DST needs the sums only for the last block.
    const bool reloads = k_block > 0 && (is_last || !shape.adds_in_l1);
    for (uint32_t row = 0; row < shape.block_h; row += shape.subblock_h) {
        for (uint32_t column = 0; column < shape.block_w; column += shape.subblock_w) {
            tile_regs_acquire();
            if (reloads) {
                reload_partials(shape);
            }
            multiply_subblock(shape, row, column);
            if (is_last) {
                pack_output(shape);
            } else {
                pack_partials(shape, k_block);
            }
        }
    }
    if (shape.adds_in_l1 && k_block + 2 < shape.num_k_blocks) {
        rewind_partials(shape);
    }
}

}  // namespace

void kernel_main() {
    const auto args = BlockComputeArgs::read();
    const Shape shape{args, args.accumulates_in_l1 != 0, args.changes_format != 0};

    mm_block_init(cb_in0, cb_in1, cb_partials, 0, shape.subblock_w, shape.subblock_h,
                  shape.block_k);
    for (uint32_t out_block = 0; out_block < shape.num_out_blocks; ++out_block) {
        // The previous pass left the packer in the output's format. With one out block the init has
        // set it.
        if (shape.num_out_blocks > 1) {
            pack_reconfig_data_format(cb_partials);
        }
        for (uint32_t k_block = 0; k_block < shape.num_k_blocks; ++k_block) {
            cb_wait_front(cb_in0, shape.block_h * shape.block_k);
            cb_wait_front(cb_in1, shape.block_k * shape.block_w);
            multiply_k_block(shape, k_block);
            cb_pop_front(cb_in0, shape.block_h * shape.block_k);
            cb_pop_front(cb_in1, shape.block_k * shape.block_w);
        }
    }
}
