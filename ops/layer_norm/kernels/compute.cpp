// SPDX-License-Identifier: Apache-2.0
// Each row less its mean, divided by its standard deviation, times the weights, plus the bias.
// The mean is found twice. In fp32 a mean of 3 is off by up to 1e-7 and its sum by as much, which is
// three units in the last place of a result that the bias brings near 0. The mean of the distances
// from the rough mean is small, and exact to 16 bits; both are taken off one after the other. The
// variance has a pass of its own: the mean of squares less the square of the mean would lose what a
// large mean covers.
#include "../../shared/row_strips/kernels/row_strips.hpp"
#include "args.hpp"

using namespace row_strips;
using tessera::ops::layer_norm::ComputeArgs;

namespace {

constexpr uint32_t cb_bias = cb_second_vector;
constexpr uint32_t cb_rough_mean = cb_first_statistic;
constexpr uint32_t cb_rest_of_mean = cb_second_statistic;
constexpr uint32_t cb_scale = cb_third_statistic;

struct Extents : ComputeArgs {
    uint32_t tiles;  // of this core's columns of a unit
    SplitMember split;
};

// DST[0] = term(0) + term(1) + … of the tiles of a row, element by element, so that one product with
// ones sums the row. A term may use two DST tiles.
template <class Term>
void add_terms(uint32_t tiles, const Term& term) {
    tile_regs_acquire();
    term(0, 0);
    for (uint32_t tile = 1; tile < tiles; ++tile) {
        term(tile, 1);
        add_binary_tile_init();
        add_binary_tile(0, 1, 0);
    }
}

// DST[dst] = x − rough mean of a tile. It is subtracted tile by tile in each pass; keeping the
// differences would need a second row of tiles in L1.
void rough_distance(uint32_t tile, uint32_t dst) {
    copy_to(cb_tiles, tile, dst);
    copy_to(cb_rough_mean, 0, dst + 1);
    sub_binary_tile_init();
    sub_binary_tile(dst, dst + 1, dst);
}

// DST[dst] = x − mean of a tile.
void distance(uint32_t tile, uint32_t dst) {
    rough_distance(tile, dst);
    copy_to(cb_rest_of_mean, 0, dst + 1);
    sub_binary_tile(dst, dst + 1, dst);
}

void find_rough_mean(const Extents& extents) {
    add_terms(extents.tiles, [](uint32_t tile, uint32_t dst) { copy_to(cb_tiles, tile, dst); });
    // Sums along the row come back in every column, so that no broadcast is needed below.
    make_statistic(cb_rough_mean, extents.split, [&] {
        binop_with_scalar_tile_init();
        mul_unary_tile(0, extents.reciprocal);
    });
}

void find_rest_of_mean(const Extents& extents) {
    add_terms(extents.tiles, rough_distance);
    make_statistic(cb_rest_of_mean, extents.split, [&] {
        if (extents.padding != 0) {
            // Each column of padding has taken the rough mean off.
            copy_to(cb_rough_mean, 0, 1);
            binop_with_scalar_tile_init();
            mul_unary_tile(1, extents.padding);
            add_binary_tile_init();
            add_binary_tile(0, 1, 0);
        }
        binop_with_scalar_tile_init();
        mul_unary_tile(0, extents.reciprocal);
    });
}

// DST[0] = 1/√(variance + epsilon) of the sum of squares there.
void finish_scale(const Extents& extents) {
    binop_with_scalar_tile_init();
    if (extents.padding != 0) {
        // Each column of padding has added the square of the mean.
        copy_to(cb_rough_mean, 0, 1);
        copy_to(cb_rest_of_mean, 0, 2);
        add_binary_tile_init();
        add_binary_tile(1, 2, 1);
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
    add_terms(extents.tiles, [](uint32_t tile, uint32_t dst) {
        distance(tile, dst);
        square_tile_init();
        square_tile(dst);
    });
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
        find_rough_mean(extents);
        find_rest_of_mean(extents);
        find_scale(extents);
        // Weights and bias stay in L1 over all rows of the core.
        cb_wait_front(cb_vectors, extents.tiles);
        cb_wait_front(cb_bias, extents.tiles);
        send_unit(strips, [](uint32_t tile) {
            distance(tile, 0);
            copy_to(cb_scale, 0, 2);
            mul_binary_tile_init();
            mul_binary_tile(0, 2, 0);
            broadcast_row_to(cb_vectors, tile, 1);
            broadcast_row_to(cb_bias, tile, 2);
            mul_binary_tile(0, 1, 0);
            add_binary_tile_init();
            add_binary_tile(0, 2, 0);
        });
        cb_pop_front(cb_rough_mean, 1);
        cb_pop_front(cb_rest_of_mean, 1);
        cb_pop_front(cb_scale, 1);
        cb_pop_front(cb_tiles, extents.tiles);
    }
}
