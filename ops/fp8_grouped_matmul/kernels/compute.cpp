// SPDX-License-Identifier: Apache-2.0
// Tilizes a CTA's rows once and keeps them. For each block of columns it multiplies one K block
// after the other, scales each partial product in fp32 and sums them in L1. Then it rounds the
// sums.
//
// A partial sum of 128 products is scaled by (its row's scale · the block's). Scales differ between
// K blocks, so sums cannot stay in DST: the packer accumulates them in L1.
#include "../../shared/fp8_blocks/kernels/quantise.hpp"
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::fp8_grouped_matmul;

constexpr uint32_t cb_rows = index_of(Cb::Rows);
constexpr uint32_t cb_in0 = index_of(Cb::In0);
constexpr uint32_t cb_in1 = index_of(Cb::In1);
constexpr uint32_t cb_row_scales = index_of(Cb::RowScales);
constexpr uint32_t cb_weight_scales = index_of(Cb::WeightScales);
constexpr uint32_t cb_sums = index_of(Cb::Sums);
constexpr uint32_t cb_largest = index_of(Cb::Largest);
constexpr uint32_t cb_scale = index_of(Cb::Scale);
constexpr uint32_t cb_units = index_of(Cb::Units);
constexpr uint32_t cb_out = index_of(Cb::Output);
constexpr uint32_t kBlockTiles = 4;
constexpr uint32_t kWidth = 2;       // output tiles in DST at once
constexpr uint32_t kScale = kWidth;  // after them

struct Shapes {
    uint32_t k_blocks;
    uint32_t row_tiles;
    uint32_t chunk;
    uint32_t k_push;

    uint32_t k_tiles() const { return k_blocks * kBlockTiles; }
};

uint32_t next_word() {
    cb_wait_front(cb_units, 1);
    const uint32_t value = read_tile_value(cb_units, 0, 0);
    cb_pop_front(cb_units, 1);
    return value;
}

void tile_rows(const Shapes& shapes) {
    const uint32_t pages = shapes.chunk * kBlockTiles;
    // Rows are tilized once and multiplied with every block of columns.
    cb_reserve_back(cb_in0, shapes.row_tiles * shapes.k_tiles());
    tilize_init(cb_rows, pages, cb_in0);
    for (uint32_t row = 0; row < shapes.row_tiles; ++row) {
        for (uint32_t first = 0; first < shapes.k_tiles(); first += pages) {
            const uint32_t left = shapes.k_tiles() - first;
            cb_wait_front(cb_rows, pages);
            // Whole chunks are popped, also for a short last one.
            tilize_block(cb_rows, left < pages ? left : pages, cb_in0);
            cb_pop_front(cb_rows, pages);
        }
    }
    tilize_uninit(cb_rows, cb_in0);
    cb_push_back(cb_in0, shapes.row_tiles * shapes.k_tiles());
    cb_wait_front(cb_in0, shapes.row_tiles * shapes.k_tiles());
}

// Computes two output tiles of one row of tiles, over one block of K.
void add_product(uint32_t first_in0, uint32_t first_in1, uint32_t row, uint32_t weight_scale,
                 uint32_t k_tiles, uint32_t out) {
    tile_regs_acquire();
    // Row scales are spread over a DST tile and multiplied with the block's weight scale: one
    // factor for both tiles.
    unary_bcast_init<BroadcastType::COL>(cb_row_scales, cb_sums);
    unary_bcast<BroadcastType::COL>(cb_row_scales, row, kScale);
    binop_with_scalar_tile_init();
    mul_unary_tile(kScale, weight_scale);
    reconfig_data_format(cb_in1, cb_in0);
    // The third argument transposes weights, which are stored by output feature.
    mm_block_init_short(cb_in0, cb_in1, 1, kWidth, 1, k_tiles);
    for (uint32_t k = 0; k < kBlockTiles; ++k) {
        matmul_block(cb_in0, cb_in1, first_in0 + k, first_in1 + k * kBlockTiles, 0, 1, kWidth, 1,
                     k_tiles);
    }
    mul_binary_tile_init();
    for (uint32_t tile = 0; tile < kWidth; ++tile) {
        mul_binary_tile(tile, kScale, tile);
    }
    tile_regs_commit();
    tile_regs_wait();
    for (uint32_t tile = 0; tile < kWidth; ++tile) {
        // Packed with addition in L1, each tile to its own place.
        pack_tile<true>(tile, cb_sums, out + tile);
    }
    tile_regs_release();
}

void add_block(const Shapes& shapes, uint32_t block, uint32_t first_in1) {
    // The weight scale is a number for the block; math takes it as an operand of the vector unit.
    const uint32_t weight_scale = read_tile_value(cb_weight_scales, 0, block);
    cb_wait_front(cb_row_scales, shapes.row_tiles);
    for (uint32_t row = 0; row < shapes.row_tiles; ++row) {
        for (uint32_t column = 0; column < kBlockTiles; column += kWidth) {
            add_product(row * shapes.k_tiles() + block * kBlockTiles, first_in1 + column, row,
                        weight_scale, shapes.k_tiles(), row * kBlockTiles + column);
        }
    }
    cb_pop_front(cb_row_scales, shapes.row_tiles);
}

void multiply(const Shapes& shapes) {
    constexpr uint32_t kPages = kBlockTiles * kBlockTiles;
    cb_reserve_back(cb_sums, shapes.row_tiles * kBlockTiles);
    pack_reconfig_data_format(cb_sums);
    cb_wait_front(cb_weight_scales, 1);
    for (uint32_t first = 0; first < shapes.k_blocks; first += shapes.k_push) {
        cb_wait_front(cb_in1, shapes.k_push * kPages);
        for (uint32_t i = 0; i < shapes.k_push && first + i < shapes.k_blocks; ++i) {
            // The first block overwrites the sums of the unit before.
            pack_reconfig_l1_acc(first + i == 0 ? 0 : 1);
            add_block(shapes, first + i, i * kPages);
        }
        cb_pop_front(cb_in1, shapes.k_push * kPages);
    }
    // Later packs must overwrite again.
    pack_reconfig_l1_acc(0);
    cb_pop_front(cb_weight_scales, 1);
    cb_push_back(cb_sums, shapes.row_tiles * kBlockTiles);
}

void round_sums(const Shapes& shapes, bool quantises) {
    cb_wait_front(cb_sums, shapes.row_tiles * kBlockTiles);
    for (uint32_t row = 0; row < shapes.row_tiles; ++row) {
        if (!quantises) {
            fp8_strips::send_rows(cb_sums, row * kBlockTiles, cb_out);
            continue;
        }
        // The writer makes the scales from the largest elements: scalar code with one division a
        // row.
        fp8_strips::send_largest(cb_sums, row * kBlockTiles, cb_largest);
        cb_wait_front(cb_scale, 1);
        fp8_strips::send_scaled_rows(cb_sums, row * kBlockTiles, {cb_scale},
                                     fp8_strips::CodeForm::Divide, cb_out);
        cb_pop_front(cb_scale, 1);
    }
    cb_pop_front(cb_sums, shapes.row_tiles * kBlockTiles);
}

}  // namespace

void kernel_main() {
    const auto args = ComputeArgs::read();
    const Shapes shapes{.k_blocks = args.k_blocks,
                        .row_tiles = args.row_tiles,
                        .chunk = args.chunk,
                        .k_push = args.k_push};
    const bool quantises = args.quantises != 0;

    mm_block_init(cb_in0, cb_in1, cb_sums, 1, kWidth, 1, shapes.k_tiles());
    const uint32_t num_units = next_word();
    bool has_rows = false;
    for (uint32_t unit = 0; unit < num_units; ++unit) {
        // 1: a new CTA, whose rows replace the previous ones. Units of a CTA are consecutive.
        if (next_word() != 0) {
            if (has_rows) {
                cb_pop_front(cb_in0, shapes.row_tiles * shapes.k_tiles());
            }
            tile_rows(shapes);
            has_rows = true;
        }
        multiply(shapes);
        round_sums(shapes, quantises);
    }
}
