// SPDX-License-Identifier: Apache-2.0
// Multiplies the tile rows of a unit with the weights of this core's bank, column by column, and
// tilizes those of the next unit meanwhile. After each round of sums it adds the sums of all banks
// for its sum of the round before, which have arrived meanwhile.
#include "../../kernels/tile_moves.hpp"
#include "near_args.hpp"

namespace {

using namespace tessera::ops::row_products;
using tessera::ops::index_of;

constexpr uint32_t cb_rows = index_of(Cb::Rows);
constexpr uint32_t cb_chunk = index_of(Cb::Chunk);
constexpr uint32_t cb_tiles = index_of(Cb::Tiles);
constexpr uint32_t cb_weights = index_of(Cb::Weights);
constexpr uint32_t cb_scales = index_of(Cb::Scales);
constexpr uint32_t cb_units = index_of(Cb::ComputeUnits);
constexpr uint32_t cb_partial = index_of(Cb::Partial);
constexpr uint32_t cb_gathered = index_of(Cb::Gathered);
constexpr uint32_t cb_out = index_of(Cb::Output);
constexpr uint32_t kDstTiles = 4;  // fp32, half of DST

struct Part : NearArgs, NearComputeArgs {
    NearShare share;

    uint32_t kept() const { return k_tiles / kept_step; }  // tiles of a tile row
};

// Words that the reader announces before the rows of a unit.
struct Unit {
    uint32_t height;  // tile rows; 0: the end
    uint32_t first_tile;
};

Unit take_unit() {
    cb_wait_front(cb_units, 1);
    const Unit unit{read_tile_value(cb_units, 0, 0), read_tile_value(cb_units, 0, 1)};
    cb_pop_front(cb_units, 1);
    return unit;
}

// Keeps the tiles of a chunk that this core multiplies: all its columns start at the same one of
// kept_step tiles.
void keep_tiles(const Part& part) {
    cb_wait_front(cb_chunk, part.chunk);
    cb_reserve_back(cb_tiles, part.chunk / part.kept_step);
    init_copy(cb_chunk);
    pack_reconfig_data_format(cb_tiles);
    for (uint32_t tile = part.share.bank % part.kept_step; tile < part.chunk;) {
        uint32_t count = 0;
        tile_regs_acquire();
        for (; count < kDstTiles && tile < part.chunk; ++count, tile += part.kept_step) {
            copy_tile(cb_chunk, tile, count);
        }
        tile_regs_commit();
        tile_regs_wait();
        for (uint32_t i = 0; i < count; ++i) {
            pack_tile(i, cb_tiles);
        }
        tile_regs_release();
    }
    cb_push_back(cb_tiles, part.chunk / part.kept_step);
    cb_pop_front(cb_chunk, part.chunk);
}

void tilize_row(const Part& part) {
    const bool keeps_all = part.kept_step == 1;
    const uint32_t cb = keeps_all ? cb_tiles : cb_chunk;
    for (uint32_t k = 0; k < part.k_tiles; k += part.chunk) {
        cb_reserve_back(cb, part.chunk);
        pack_reconfig_data_format(cb);
        tilize_rows(cb_rows, cb, part.chunk);
        cb_push_back(cb, part.chunk);
        if (!keeps_all) {
            keep_tiles(part);
        }
    }
}

// The tile rows of the next unit. Their tiles take the place of as many as a unit may have, so that
// they are adjacent.
struct NextRows {
    const Part& part;
    uint32_t height;
    uint32_t tilized = 0;

    // Tilizes what is to be there before a column; returns whether there was something.
    bool tilize_before(uint32_t column) {
        const uint32_t before = tilized;
        while (tilized < height &&
               column >=
                   column_of_row(tilized + 1, height, part.share.num_columns, part.is_ahead != 0)) {
            tilize_row(part);
            tilized += 1;
        }
        if (tilized != before && tilized == height && height != part.tile_rows) {
            const uint32_t unused = (part.tile_rows - height) * part.kept();
            cb_reserve_back(cb_tiles, unused);
            cb_push_back(cb_tiles, unused);
        }
        return tilized != before;
    }
};

// Pushes the sums over the K tiles of a column that are in this core's bank.
void multiply_column(const Part& part, uint32_t height, uint32_t first_tile) {
    tile_regs_acquire();
    uint32_t k = first_in_bank(first_tile, part.share.bank, part.banks);
    while (k < part.k_tiles) {
        cb_wait_front(cb_weights, part.k_push);
        for (uint32_t i = 0; i < part.k_push && k < part.k_tiles; ++i, k += part.banks) {
            matmul_block(cb_tiles, cb_weights, k / part.kept_step, i, 0, 1, 1, height, part.kept());
        }
        cb_pop_front(cb_weights, part.k_push);
    }
    tile_regs_commit();
    tile_regs_wait();
    for (uint32_t row = 0; row < height; ++row) {
        cb_reserve_back(cb_partial, 1);
        pack_tile(row, cb_partial);
        cb_push_back(cb_partial, 1);
    }
    tile_regs_release();
}

// The round whose sums are on their way.
struct Round {
    uint32_t height = 0;  // of its unit; 0: there is no round
    uint32_t number = 0;  // in the unit
};

// Adds the sums of this core's tile of a round, if it has one, in the order of the banks.
void finish(const Part& part, const Round& round) {
    if (round.height == 0) {
        return;
    }
    const uint32_t sums = part.share.num_columns * round.height;
    cb_wait_front(cb_gathered, part.banks);
    if (part.is_scaled != 0) {
        cb_wait_front(cb_scales, part.tile_rows);
    }
    if (part.share.bank < width_of_round(sums, part.banks, round.number)) {
        tile_regs_acquire();
        sum_tiles(cb_gathered, 0, part.banks);
        if (part.is_scaled != 0) {
            copy_to(cb_scales, (round.number * part.banks + part.share.bank) % round.height, 1);
            mul_binary_tile_init();
            mul_binary_tile(0, 1, 0);
        }
        push_as_rows(cb_out);
    }
    cb_pop_front(cb_gathered, part.banks);
    // The scales are those of a unit, so that they leave with its last round.
    if (part.is_scaled != 0 && round.number + 1 == rounds_of(sums, part.banks)) {
        cb_pop_front(cb_scales, part.tile_rows);
    }
}

void multiply_unit(const Part& part, const Unit& unit, const Unit& next, Round& before) {
    const uint32_t place = part.tile_rows * part.kept();
    const uint32_t sums = part.share.num_columns * unit.height;
    NextRows rows{part, next.height};
    bool is_armed = false;
    uint32_t done = 0;
    cb_wait_front(cb_tiles, place);
    for (uint32_t column = 0, round = 0; column < part.share.num_columns; ++column) {
        const bool has_tilized = rows.tilize_before(column);
        if (has_tilized || !is_armed) {
            reconfig_data_format(cb_weights, cb_tiles);
            pack_reconfig_data_format(cb_partial);
            mm_block_init_short(cb_tiles, cb_weights, 1, 1, unit.height, part.kept());
            is_armed = true;
        }
        multiply_column(part, unit.height, unit.first_tile + column * part.k_tiles);
        done += unit.height;
        // The last round may be shorter than the others.
        while (round < rounds_of(sums, part.banks) &&
               round * part.banks + width_of_round(sums, part.banks, round) <= done) {
            finish(part, before);
            before = {unit.height, round};
            round += 1;
            is_armed = false;
        }
    }
    cb_pop_front(cb_tiles, place);
    rows.tilize_before(part.share.num_columns);
}

}  // namespace

void kernel_main() {
    const Part part{NearArgs::read(), NearComputeArgs::read(), NearShare::read()};
    mm_block_init(cb_tiles, cb_weights, cb_partial, 1, 1, 1, part.kept());
    Unit unit = take_unit();
    NextRows{part, unit.height}.tilize_before(part.share.num_columns);
    Round before;
    while (unit.height != 0) {
        const Unit next = take_unit();
        multiply_unit(part, unit, next, before);
        unit = next;
    }
    finish(part, before);
}
