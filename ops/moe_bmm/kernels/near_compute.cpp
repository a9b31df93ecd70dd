// SPDX-License-Identifier: Apache-2.0
// Multiplies the rows of a unit with the weights of this core's bank, column by column. It then
// adds the sums of all members for the columns of the unit before, which have arrived meanwhile.
#include "../../shared/kernels/tile_moves.hpp"
#include "near_args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::moe_bmm;
using namespace tessera::ops::valid_tiles;

constexpr uint32_t cb_rows = index_of(Cb::Input);
constexpr uint32_t cb_weights = index_of(Cb::SecondInput);
constexpr uint32_t cb_units = index_of(NearCb::Units);
constexpr uint32_t cb_gathered = index_of(NearCb::Gathered);
constexpr uint32_t cb_out = index_of(Cb::Output);

struct Args : TileArgs, InnerArgs, NearArgs {
    NearShare share;

    // One member alone has whole sums: they need no other core.
    uint32_t cb_product() const { return members == 1 ? cb_out : index_of(NearCb::Sums); }
    uint32_t column_pages() const { return pushes * k_block; }
};

// Multiplies the column whose weights are `first_page` pages behind the read pointer.
void multiply_column(const Args& args, uint32_t first_tile, uint32_t first_page) {
    const NearTiles tiles =
        tiles_in_bank(first_tile, args.column_tiles, args, args.share.bank, args.share.in_bank);
    tile_regs_acquire();
    uint32_t k = tiles.first;
    for (uint32_t push = 0; push < args.pushes; ++push) {
        const uint32_t page = first_page + push * args.k_block;
        cb_wait_front(cb_weights, page + args.k_block);
        for (uint32_t i = 0; i < args.k_block && k < args.k_tiles; ++i, k += tiles.step) {
            matmul_block(cb_rows, cb_weights, k, page + i, 0, 0, 1, 1, args.k_tiles);
        }
    }
    tile_regs_commit();
    cb_reserve_back(args.cb_product(), 1);
    tile_regs_wait();
    pack_tile(0, args.cb_product());
    tile_regs_release();
    cb_push_back(args.cb_product(), 1);
}

// Weights that a later row of the expert needs stay; else a column's leave when it is multiplied.
void multiply_unit(const Args& args, uint32_t expert_tile, bool is_last) {
    reconfig_data_format(cb_weights, cb_rows);
    pack_reconfig_data_format(args.cb_product());
    mm_block_init_short(cb_rows, cb_weights, 0, 1, 1, args.k_tiles);
    cb_wait_front(cb_rows, args.k_tiles);
    for (uint32_t i = 0; i < args.columns; ++i) {
        const uint32_t first_page = is_last ? 0 : i * args.column_pages();
        if (i < args.share.num_columns) {
            const uint32_t column = args.share.first_column + i * args.column_step;
            multiply_column(args, expert_tile + column, first_page);
        }
        if (is_last) {
            cb_wait_front(cb_weights, args.column_pages());
            cb_pop_front(cb_weights, args.column_pages());
        }
    }
    cb_pop_front(cb_rows, args.k_tiles);
}

// Adds the members' sums in the order of their numbers.
void finish_unit(const Args& args, uint32_t unit) {
    const uint32_t pages = most_finished(args.columns, args.members) * args.members;
    cb_wait_front(cb_gathered, pages);
    uint32_t column = first_finished(unit, args.share.member, args.members);
    for (uint32_t first = 0; column < args.share.num_columns; first += args.members) {
        tile_regs_acquire();
        sum_tiles(cb_gathered, first, args.members);
        tile_regs_commit();
        pack_reconfig_data_format(cb_out);
        cb_reserve_back(cb_out, 1);
        tile_regs_wait();
        pack_tile(0, cb_out);
        tile_regs_release();
        cb_push_back(cb_out, 1);
        column += args.members;
    }
    cb_pop_front(cb_gathered, pages);
}

}  // namespace

void kernel_main() {
    const Args args{TileArgs::read(), InnerArgs::read(), NearArgs::read(), NearShare::read()};
    mm_block_init(cb_rows, cb_weights, args.cb_product(), 0, 1, 1, args.k_tiles);
    for (uint32_t unit = 0;; ++unit) {
        cb_wait_front(cb_units, 1);
        const bool is_unit = read_tile_value(cb_units, 0, 0) != 0;
        const uint32_t expert_tile = read_tile_value(cb_units, 0, 1);
        const bool is_last = read_tile_value(cb_units, 0, 2) != 0;
        cb_pop_front(cb_units, 1);
        if (is_unit) {
            multiply_unit(args, expert_tile, is_last);
        }
        if (args.members != 1 && unit != 0) {
            finish_unit(args, unit - 1);
        }
        if (!is_unit) {
            return;
        }
    }
}
