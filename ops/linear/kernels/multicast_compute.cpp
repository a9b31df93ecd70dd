// SPDX-License-Identifier: Apache-2.0
// Multiplies blocks of the input with blocks of weights, and adds them to the sums of a pass in L1.
// Tilizes this core's next block of the input between them.
#include "../../shared/kernels/arithmetic.hpp"
#include "../../shared/kernels/tile_moves.hpp"
#include "multicast_args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::linear;

constexpr uint32_t cb_rows = index_of(MulticastCb::Rows);
constexpr uint32_t cb_own_tiles = index_of(MulticastCb::OwnTiles);
constexpr uint32_t cb_tiles = index_of(MulticastCb::Tiles);
constexpr uint32_t cb_weights = index_of(MulticastCb::Weights);
constexpr uint32_t cb_bias = index_of(MulticastCb::Bias);
constexpr uint32_t cb_sums = index_of(MulticastCb::Sums);
constexpr uint32_t cb_out = index_of(MulticastCb::Output);
constexpr uint32_t kDstTiles = 4;   // fp32, half of DST
constexpr uint32_t kPackTiles = 2;  // sums in DST, next to a bias

struct Core : MulticastArgs {
    MulticastShare share;
    Turns turns;

    uint32_t num_blocks() const { return num_passes(*this) * k_blocks(*this); }
    Pass pass(uint32_t number) const { return pass_of(*this, share, number); }
};

// Tilizes block `number` of the input if this core sends it.
void tilize_own(const Core& core, uint32_t number) {
    if (number >= core.num_blocks() || number % core.turns.num_cores != core.turns.position) {
        return;
    }
    const uint32_t rows = core.pass(number / k_blocks(core)).num_rows;
    if (rows == 0) {
        return;
    }
    // Pages of tile rows that are not there are passed on as they are.
    const uint32_t pages = core.height * core.k_block;
    cb_reserve_back(cb_own_tiles, pages);
    pack_reconfig_data_format(cb_own_tiles);
    for (uint32_t row = 0; row < rows; ++row) {
        tilize_rows(cb_rows, cb_own_tiles, core.k_block);
        cb_push_back(cb_own_tiles, core.k_block);
    }
    if (rows != core.height) {
        const uint32_t unused = pages - rows * core.k_block;
        cb_wait_front(cb_rows, unused);
        cb_pop_front(cb_rows, unused);
        cb_push_back(cb_own_tiles, unused);
    }
}

// A block of output tiles that fills DST.
struct Subblock {
    uint32_t row;
    uint32_t height;
    uint32_t column;
    uint32_t width;
};

void multiply_subblock(const Core& core, const Subblock& block, uint32_t columns, uint32_t num_k) {
    tile_regs_acquire();
    for (uint32_t k = 0; k < num_k; ++k) {
        matmul_block(cb_tiles, cb_weights, block.row * core.k_block + k, k * columns + block.column,
                     0, 1, block.width, block.height, core.k_block);
    }
    tile_regs_commit();
    tile_regs_wait();
    for (uint32_t row = 0; row < block.height; ++row) {
        for (uint32_t column = 0; column < block.width; ++column) {
            pack_tile<true>(row * block.width + column, cb_sums,
                            (block.row + row) * columns + block.column + column);
        }
    }
    tile_regs_release();
}

// Adds the products of one block of K to the sums.
void multiply_block(const Core& core, const Pass& pass, uint32_t num_k) {
    const uint32_t high = smaller(pass.num_rows, 2);
    const uint32_t wide = kDstTiles / high;
    uint32_t height = 0;
    uint32_t width = 0;
    for (uint32_t column = 0; column < pass.num_columns; column += wide) {
        for (uint32_t row = 0; row < pass.num_rows; row += high) {
            const Subblock block{row, smaller(high, pass.num_rows - row), column,
                                 smaller(wide, pass.num_columns - column)};
            if (block.height != height || block.width != width) {
                height = block.height;
                width = block.width;
                mm_block_init_short(cb_tiles, cb_weights, 1, width, height, core.k_block);
            }
            multiply_subblock(core, block, pass.num_columns, num_k);
        }
    }
}

void multiply_pass(const Core& core, const Pass& pass, uint32_t first_block) {
    const bool has_tiles = pass.num_rows != 0 && pass.num_columns != 0;
    const uint32_t lead = tilize_lead(core.turns.num_cores);
    for (uint32_t k = 0, block = first_block; k < core.k_tiles; k += core.k_block, ++block) {
        if (pass.num_rows != 0) {
            cb_wait_front(cb_tiles, core.height * core.k_block);
        }
        if (pass.num_columns != 0) {
            cb_wait_front(cb_weights, core.k_block * core.width);
        }
        if (has_tiles) {
            reconfig_data_format(cb_weights, cb_tiles);
            pack_reconfig_data_format(cb_sums);
            // The first block overwrites the sums of the pass before.
            pack_reconfig_l1_acc(k == 0 ? 0 : 1);
            multiply_block(core, pass, smaller(core.k_block, core.k_tiles - k));
            pack_reconfig_l1_acc(0);
        }
        if (pass.num_rows != 0) {
            cb_pop_front(cb_tiles, core.height * core.k_block);
        }
        if (pass.num_columns != 0) {
            cb_pop_front(cb_weights, core.k_block * core.width);
        }
        tilize_own(core, block + lead);
    }
}

// DST[i] = sum `first + i` plus its bias, which is that of column `column + i`.
void load_sums(const Core& core, uint32_t first, uint32_t column, uint32_t count) {
    init_copy(cb_sums);
    for (uint32_t i = 0; i < count; ++i) {
        copy_tile(cb_sums, first + i, i);
    }
    for (uint32_t i = 0; i < count && core.has_bias != 0; ++i) {
        unary_bcast_init<BroadcastType::ROW>(cb_bias, cb_out);
        unary_bcast<BroadcastType::ROW>(cb_bias, column + i, kPackTiles);
        add_binary_tile_init();
        add_binary_tile(i, kPackTiles, i);
    }
}

// Packs `tiles` sums of one tile row as rows, `place` times as many columns from the start of a
// strip.
template <uint32_t tiles>
void pack_sums(const Core& core, uint32_t first, uint32_t column, uint32_t place) {
    tile_regs_acquire();
    load_sums(core, first, column, tiles);
    tile_regs_commit();
    pack_reconfig_data_format(cb_out);
    pack_untilize_dest_init<tiles, kOutTiles>(cb_out);
    tile_regs_wait();
    pack_untilize_dest<tiles, kOutTiles>(cb_out, 1, place);
    tile_regs_release();
    pack_untilize_uninit(cb_out);
}

// Packs up to kOutTiles sums.
void pack_strip(const Core& core, uint32_t first, uint32_t column, uint32_t count) {
    cb_reserve_back(cb_out, kOutTiles);
    uint32_t tile = 0;
    for (; tile + kPackTiles <= count; tile += kPackTiles) {
        pack_sums<kPackTiles>(core, first + tile, column + tile, tile / kPackTiles);
    }
    if (tile < count) {
        pack_sums<1>(core, first + tile, column + tile, tile);
    }
    cb_push_back(cb_out, kOutTiles);
}

void finish_pass(const Core& core, const Pass& pass) {
    if (core.has_bias != 0) {
        cb_wait_front(cb_bias, core.width);
    }
    for (uint32_t row = 0; row < pass.num_rows; ++row) {
        for (uint32_t column = 0; column < pass.num_columns; column += kOutTiles) {
            pack_strip(core, row * pass.num_columns + column, column,
                       smaller(kOutTiles, pass.num_columns - column));
        }
    }
    if (core.has_bias != 0) {
        cb_pop_front(cb_bias, core.width);
    }
}

}  // namespace

void kernel_main() {
    const Core core{MulticastArgs::read(), MulticastShare::read(),
                    Turns::read(MulticastShare::kCount)};
    mm_block_init(cb_tiles, cb_weights, cb_sums, 1, 1, 1, core.k_block);
    for (uint32_t block = 0; block < tilize_lead(core.turns.num_cores); ++block) {
        tilize_own(core, block);
    }
    for (uint32_t number = 0; number < num_passes(core); ++number) {
        const Pass pass = core.pass(number);
        cb_reserve_back(cb_sums, core.height * core.width);
        multiply_pass(core, pass, number * k_blocks(core));
        cb_push_back(cb_sums, core.height * core.width);
        cb_wait_front(cb_sums, core.height * core.width);
        finish_pass(core, pass);
        cb_pop_front(cb_sums, core.height * core.width);
    }
}
