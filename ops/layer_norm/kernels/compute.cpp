// SPDX-License-Identifier: Apache-2.0
// Each row less its mean, divided by its standard deviation, times the weights, plus the bias.
// Two passes: the mean of squares less the square of the mean would lose what a large mean covers.
#include "../../shared/row_strips/kernels/row_strips.hpp"
#include "args.hpp"

using namespace row_strips;
using tessera::ops::layer_norm::ComputeArgs;

namespace {

constexpr uint32_t cb_bias = cb_second_vector;
constexpr uint32_t cb_mean = cb_first_statistic;
constexpr uint32_t cb_scale = cb_second_statistic;

struct Extents : ComputeArgs {
    uint32_t tiles;  // of this core's columns of a unit
    SplitMember split;
};

void find_mean(const Extents& extents) {
    // Tiles of a row are added element by element first, so that one product with ones sums the
    // row.
    tile_regs_acquire();
    copy_to(cb_tiles, 0, 0);
    for (uint32_t tile = 1; tile < extents.tiles; ++tile) {
        copy_to(cb_tiles, tile, 1);
        add_binary_tile_init();
        add_binary_tile(0, 1, 0);
    }
    // Sums along the row come back in every column, so that no broadcast is needed below.
    make_statistic(cb_mean, extents.split, [&] {
        binop_with_scalar_tile_init();
        mul_unary_tile(0, extents.reciprocal);
    });
}

// DST[dst] = (x − mean)² of a tile.
void square_distance(uint32_t tile, uint32_t dst) {
    copy_to(cb_tiles, tile, dst);
    // The mean is subtracted tile by tile again; keeping the differences would need a second row of
    // tiles in L1.
    copy_to(cb_mean, 0, dst + 1);
    sub_binary_tile_init();
    sub_binary_tile(dst, dst + 1, dst);
    square_tile_init();
    square_tile(dst);
}

// DST[0] = 1/√(variance + epsilon) of the sum of squares there.
void finish_scale(const Extents& extents) {
    binop_with_scalar_tile_init();
    if (extents.padding != 0) {
        // Each column of padding has added the square of the mean.
        copy_to(cb_mean, 0, 1);
        square_tile_init();
        square_tile(1);
        mul_unary_tile(1, extents.padding);
        sub_binary_tile_init();
        sub_binary_tile(0, 1, 0);
    }
    mul_unary_tile(0, extents.reciprocal);
    add_unary_tile(0, extents.epsilon);
    // rsqrt replaces a square root and a division.
    rsqrt_tile_init();
    rsqrt_tile(0);
}

void find_scale(const Extents& extents) {
    tile_regs_acquire();
    square_distance(0, 0);
    for (uint32_t tile = 1; tile < extents.tiles; ++tile) {
        square_distance(tile, 1);
        add_binary_tile_init();
        add_binary_tile(0, 1, 0);
    }
    make_statistic(cb_scale, extents.split, [&] { finish_scale(extents); });
}

}  // namespace

void kernel_main() {
    const auto share = ColumnShare::read();
    const uint32_t strips = share.num_strips;
    const Extents extents{ComputeArgs::read(), strips * kStripTiles,
                          SplitMember::read(ColumnShare::kCount)};

    unary_op_init_common(cb_rows, cb_tiles);
    for (uint32_t unit = 0; unit < share.num_units; ++unit) {
        tilize_unit(strips);
        cb_wait_front(cb_ones, 1);
        find_mean(extents);
        find_scale(extents);
        // Weights and bias stay in L1 over all rows of the core.
        cb_wait_front(cb_vectors, extents.tiles);
        cb_wait_front(cb_bias, extents.tiles);
        send_unit(strips, [](uint32_t tile) {
            // All operands are in DST before the first operation, so that each init of an operation
            // is done once a tile.
            copy_to(cb_tiles, tile, 0);
            copy_to(cb_mean, 0, 1);
            copy_to(cb_scale, 0, 2);
            sub_binary_tile_init();
            sub_binary_tile(0, 1, 0);
            mul_binary_tile_init();
            mul_binary_tile(0, 2, 0);
            broadcast_row_to(cb_vectors, tile, 1);
            broadcast_row_to(cb_bias, tile, 2);
            mul_binary_tile(0, 1, 0);
            add_binary_tile_init();
            add_binary_tile(0, 2, 0);
        });
        cb_pop_front(cb_mean, 1);
        cb_pop_front(cb_scale, 1);
        cb_pop_front(cb_tiles, extents.tiles);
    }
}
