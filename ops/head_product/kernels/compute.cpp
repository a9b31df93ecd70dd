// SPDX-License-Identifier: Apache-2.0
// Tilizes a head's weights once for all of its units, and multiplies each unit's rows with them.
#include "../../shared/kernels/tile_moves.hpp"
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::head_product;

constexpr uint32_t cb_input_rows = index_of(Cb::InputRows);
constexpr uint32_t cb_inputs = index_of(Cb::Inputs);
constexpr uint32_t cb_weight_rows = index_of(Cb::WeightRows);
constexpr uint32_t cb_weights = index_of(Cb::Weights);
constexpr uint32_t cb_out = index_of(Cb::Output);
constexpr uint32_t kStripTiles = 4;

void tilize_weights(const ShapeArgs& shapes, bool holds_weights) {
    const uint32_t tiles = shapes.row_tiles * shapes.column_tiles;
    // Weights of the head before are dropped only now, since all of its units use them.
    if (holds_weights) {
        cb_pop_front(cb_weights, tiles);
    }
    cb_reserve_back(cb_weights, tiles);
    for (uint32_t row = 0; row < shapes.row_tiles; ++row) {
        tilize_rows(cb_weight_rows, cb_weights, shapes.column_tiles);
    }
    cb_push_back(cb_weights, tiles);
    cb_wait_front(cb_weights, tiles);
}

// DST[0] = output tile `n` of the unit.
void multiply(const ShapeArgs& shapes, uint32_t n) {
    reconfig_data_format(cb_weights, cb_inputs);
    // The transposition happens on the way into the source register, so one form of the tiles
    // serves both directions.
    mm_init_short(cb_inputs, cb_weights, shapes.is_transposed);
    for (uint32_t k = 0; k < shapes.inner_tiles; ++k) {
        const uint32_t weight =
            shapes.is_transposed ? n * shapes.column_tiles + k : k * shapes.column_tiles + n;
        matmul_tiles(cb_inputs, cb_weights, k, weight, 0);
    }
}

void send_rows(const ShapeArgs& shapes) {
    for (uint32_t first = 0; first < shapes.outer_tiles; first += kStripTiles) {
        cb_reserve_back(cb_out, kStripTiles);
        for (uint32_t i = 0; i < kStripTiles && first + i < shapes.outer_tiles; ++i) {
            tile_regs_acquire();
            multiply(shapes, first + i);
            tile_regs_commit();
            // The packer alternates between tiles and rows, so it is set up for each strip's tile.
            pack_reconfig_data_format(cb_out);
            pack_untilize_dest_init<1, kStripTiles>(cb_out);
            tile_regs_wait();
            pack_untilize_dest<1, kStripTiles>(cb_out, 1, i);
            tile_regs_release();
            pack_untilize_uninit(cb_out);
        }
        cb_push_back(cb_out, kStripTiles);
    }
}

}  // namespace

void kernel_main() {
    const auto range = UnitRange::read();
    const auto shapes = ShapeArgs::read();

    mm_init(cb_inputs, cb_weights, cb_out, shapes.is_transposed);
    for (uint32_t unit = range.first_unit; unit < range.first_unit + range.num_units; ++unit) {
        // The first unit of a core may begin in the middle of a head.
        if (unit == range.first_unit || unit % shapes.token_tiles == 0) {
            tilize_weights(shapes, unit != range.first_unit);
        }
        cb_reserve_back(cb_inputs, shapes.inner_tiles);
        tilize_rows(cb_input_rows, cb_inputs, shapes.inner_tiles);
        cb_push_back(cb_inputs, shapes.inner_tiles);
        cb_wait_front(cb_inputs, shapes.inner_tiles);
        send_rows(shapes);
        cb_pop_front(cb_inputs, shapes.inner_tiles);
    }
}
