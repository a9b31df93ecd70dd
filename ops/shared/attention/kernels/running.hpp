// SPDX-License-Identifier: Apache-2.0
// What attention keeps in L1 on the compute side, and moves between DST and circular buffers.
#pragma once

#include "../../kernels/tile_moves.hpp"

namespace {

constexpr uint32_t cb_query_rows = 0;
constexpr uint32_t cb_queries = 1;
constexpr uint32_t cb_key_rows = 2;
constexpr uint32_t cb_keys = 3;
constexpr uint32_t cb_value_rows = 4;
constexpr uint32_t cb_values = 5;
constexpr uint32_t cb_units = 6;
constexpr uint32_t cb_masks = 7;
constexpr uint32_t cb_ones = 8;
constexpr uint32_t cb_scores = 9;
constexpr uint32_t cb_tile_largest = 10;
constexpr uint32_t cb_row_largest = 11;
constexpr uint32_t cb_largest = 12;  // running, in every column
constexpr uint32_t cb_sums = 13;     // running, in every column
constexpr uint32_t cb_outputs = 14;  // running
constexpr uint32_t cb_shrink = 15;   // what running sums and outputs are multiplied with
constexpr uint32_t cb_result_rows = 16;
constexpr uint32_t cb_weights = 17;  // exponentials
constexpr uint32_t cb_partial = 18;  // of another core: maximum, sum, outputs
constexpr uint32_t cb_own_partial = 19;
constexpr uint32_t cb_partial_shrink = 20;
constexpr uint32_t cb_code_rows = 26;  // of keys whose values are in fp8
constexpr uint32_t cb_codes = 27;
constexpr uint32_t cb_scales = 28;  // of a row, in column 0, a tile each 128 columns
constexpr uint32_t kScaledTiles = 4;
constexpr uint32_t kStripTiles = 4;
constexpr float kBeforeAll = -2e30F;        // below every masked score
constexpr uint32_t kSmallest = 0x0DA24260;  // 1e-30: sums are at least about 1
enum Announced : uint32_t { kEnd, kResult, kPartial };

struct Shapes {
    uint32_t query_tiles;
    uint32_t value_tiles;
    uint32_t block;  // key tiles
    uint32_t scale;
    bool has_values;       // else they are the first tiles of the keys
    uint32_t scale_tiles;  // of values in fp8; 0: in bfloat16

    uint32_t value_tile(uint32_t key_tile, uint32_t tile) const {
        return key_tile * (has_values ? value_tiles : query_tiles) + tile;
    }
    uint32_t cb_of_values() const { return has_values ? cb_values : cb_keys; }
};

// DST tile `dst` to a page of `cb`.
inline void pack_one(uint32_t dst, uint32_t cb) {
    cb_reserve_back(cb, 1);
    pack_reconfig_data_format(cb);
    pack_tile(dst, cb);
    cb_push_back(cb, 1);
}

inline void pack_alone(uint32_t cb) {
    tile_regs_commit();
    tile_regs_wait();
    pack_one(0, cb);
    tile_regs_release();
}

// DST[0] += running tile · shrink.
inline void add_running(uint32_t cb, uint32_t tile) {
    copy_to(cb, tile, 1);
    copy_to(cb_shrink, 0, 2);
    mul_binary_tile_init();
    mul_binary_tile(1, 2, 1);
    add_binary_tile_init();
    add_binary_tile(0, 1, 0);
}

}  // namespace
