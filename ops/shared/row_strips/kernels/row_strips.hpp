// SPDX-License-Identifier: Apache-2.0
// The compute side of ops along rows: strips to tiles, sums of whole rows, results to strips.
//
// The vector unit adds tiles in fp32. A row is then 32 numbers, which the matrix unit sums. Its
// operands have 8 to 11 bits, so each number is split into two bfloat16 numbers, which together
// have 16 bits. The matrix unit's own reduction of float32 would keep 11 bits, too few for a result
// that is correct to the last bit of bfloat16.
#pragma once

#include "../../kernels/tile_moves.hpp"
#include "args.hpp"

namespace row_strips {

using tessera::ops::index_of;
using tessera::ops::row_strips::ColumnShare;
using tessera::ops::row_strips::SplitMember;
using tessera::ops::row_strips::StripArgs;
using tessera::ops::row_strips::UnitCount;
using StripCb = tessera::ops::row_strips::Cb;

constexpr uint32_t cb_rows = index_of(StripCb::Rows);
constexpr uint32_t cb_tiles = index_of(StripCb::Tiles);
constexpr uint32_t cb_vectors = index_of(StripCb::Vectors);
constexpr uint32_t cb_second_vector = index_of(StripCb::SecondVector);
constexpr uint32_t cb_ones = index_of(StripCb::Ones);
constexpr uint32_t cb_sums = index_of(StripCb::Sums);
constexpr uint32_t cb_high = index_of(StripCb::High);
constexpr uint32_t cb_low = index_of(StripCb::Low);
constexpr uint32_t cb_first_statistic = index_of(StripCb::FirstStatistic);
constexpr uint32_t cb_second_statistic = index_of(StripCb::SecondStatistic);
constexpr uint32_t cb_third_statistic = index_of(StripCb::ThirdStatistic);
constexpr uint32_t cb_out = index_of(StripCb::Output);
constexpr uint32_t kStripTiles = 4;

// DST[dst] = row 0 of a tile, in every row.
inline void broadcast_row_to(uint32_t cb, uint32_t tile, uint32_t dst) {
    unary_bcast_init<BroadcastType::ROW>(cb, cb_out);
    unary_bcast<BroadcastType::ROW>(cb, tile, dst);
}

// Packs DST tile 0 to a page of `cb` for another thread; the caller acquires and has computed.
inline void push_dst(uint32_t cb) {
    tile_regs_commit();
    cb_reserve_back(cb, 1);
    pack_reconfig_data_format(cb);
    tile_regs_wait();
    pack_tile(0, cb);
    tile_regs_release();
    cb_push_back(cb, 1);
}

// Packs DST to a buffer that compute reads itself, and waits for it.
inline void pack_to(uint32_t cb) {
    push_dst(cb);
    cb_wait_front(cb, 1);
}

inline void tilize_unit(uint32_t strips) {
    for (uint32_t strip = 0; strip < strips; ++strip) {
        cb_wait_front(cb_rows, kStripTiles);
        cb_reserve_back(cb_tiles, kStripTiles);
        tilize_init(cb_rows, kStripTiles, cb_tiles);
        tilize_block(cb_rows, kStripTiles, cb_tiles);
        tilize_uninit(cb_rows, cb_tiles);
        cb_push_back(cb_tiles, kStripTiles);
        cb_pop_front(cb_rows, kStripTiles);
    }
    cb_wait_front(cb_tiles, strips * kStripTiles);
}

// DST[0] = DST[0] summed along its rows, in every column; between an acquire and the commit that
// the caller makes.
inline void sum_rows_of_dst() {
    pack_to(cb_sums);
    tile_regs_acquire();
    copy_to(cb_sums, 0, 0);
    pack_to(cb_high);
    tile_regs_acquire();
    copy_to(cb_sums, 0, 0);
    copy_to(cb_high, 0, 1);
    sub_binary_tile_init();
    sub_binary_tile(0, 1, 0);
    pack_to(cb_low);
    tile_regs_acquire();
    reconfig_data_format(cb_ones, cb_high);
    mm_init_short(cb_high, cb_ones);
    matmul_tiles(cb_high, cb_ones, 0, 0, 0);
    matmul_tiles(cb_low, cb_ones, 0, 0, 0);
    cb_pop_front(cb_sums, 1);
    cb_pop_front(cb_high, 1);
    cb_pop_front(cb_low, 1);
}

// Makes a statistic of each row in page `cb`, from terms in DST[0] whose sum along the rows of this
// core's columns is its part; between an acquire and the end of the page. `finish` turns the sum of
// all parts, in every column of DST[0], into the statistic and may use DST[1] and DST[2].
template <class Finish>
void make_statistic(uint32_t cb, const SplitMember& split, const Finish& finish) {
    sum_rows_of_dst();
    if (split.members == 1) {
        finish();
        pack_to(cb);
        return;
    }
    push_dst(index_of(StripCb::Part));
    if (split.member == 0) {
        // Each part is a column, so that the sum of parts is a sum along rows again.
        constexpr uint32_t kCbGathered = index_of(StripCb::Gathered);
        constexpr uint32_t kColumns = 32;
        const uint32_t tiles = split.members > kColumns ? 2 : 1;
        cb_wait_front(kCbGathered, tiles);
        tile_regs_acquire();
        copy_to(kCbGathered, 0, 0);
        if (tiles > 1) {
            copy_to(kCbGathered, 1, 1);
            add_binary_tile_init();
            add_binary_tile(0, 1, 0);
        }
        sum_rows_of_dst();
        cb_pop_front(kCbGathered, tiles);
        finish();
        push_dst(index_of(StripCb::Merged));
    }
    cb_wait_front(cb, 1);
}

// Makes strips of rows: `act` leaves tile `tile` of the unit in DST[0] and may use DST tiles 1
// to 3.
template <class Act>
void send_unit(uint32_t strips, const Act& act) {
    for (uint32_t strip = 0; strip < strips; ++strip) {
        cb_reserve_back(cb_out, kStripTiles);
        for (uint32_t tile = 0; tile < kStripTiles; ++tile) {
            tile_regs_acquire();
            act(strip * kStripTiles + tile);
            tile_regs_commit();
            pack_reconfig_data_format(cb_out);
            pack_untilize_dest_init<1, kStripTiles>(cb_out);
            tile_regs_wait();
            pack_untilize_dest<1, kStripTiles>(cb_out, 1, tile);
            tile_regs_release();
            pack_untilize_uninit(cb_out);
        }
        cb_push_back(cb_out, kStripTiles);
    }
}

}  // namespace row_strips
