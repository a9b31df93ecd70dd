// SPDX-License-Identifier: Apache-2.0
// Values that attention keeps in L1 on the compute side, and their moves between DST and circular
// buffers.
#pragma once

#include "../../kernels/tile_moves.hpp"
#include "args.hpp"

namespace {

using namespace tessera::ops::attention;
using tessera::ops::index_of;

constexpr uint32_t cb_query_rows = index_of(Cb::QueryRows);
constexpr uint32_t cb_queries = index_of(Cb::Queries);
constexpr uint32_t cb_key_rows = index_of(Cb::KeyRows);
constexpr uint32_t cb_keys = index_of(Cb::Keys);
constexpr uint32_t cb_value_rows = index_of(Cb::ValueRows);
constexpr uint32_t cb_values = index_of(Cb::Values);
constexpr uint32_t cb_units = index_of(Cb::Units);
constexpr uint32_t cb_masks = index_of(Cb::Masks);
constexpr uint32_t cb_ones = index_of(Cb::Ones);
constexpr uint32_t cb_scores = index_of(Cb::Scores);
constexpr uint32_t cb_tile_largest = index_of(Cb::TileLargest);
constexpr uint32_t cb_row_largest = index_of(Cb::RowLargest);
constexpr uint32_t cb_largest = index_of(Cb::Largest);
constexpr uint32_t cb_sums = index_of(Cb::Sums);
constexpr uint32_t cb_outputs = index_of(Cb::Outputs);
constexpr uint32_t cb_shrink = index_of(Cb::Shrink);
constexpr uint32_t cb_result_rows = index_of(Cb::ResultRows);
constexpr uint32_t cb_weights = index_of(Cb::Weights);
constexpr uint32_t cb_partial = index_of(Cb::Partial);
constexpr uint32_t cb_own_partial = index_of(Cb::OwnPartial);
constexpr uint32_t cb_partial_shrink = index_of(Cb::PartialShrink);
constexpr uint32_t cb_code_rows = index_of(Cb::CodeRows);
constexpr uint32_t cb_codes = index_of(Cb::Codes);
constexpr uint32_t cb_scales = index_of(Cb::Scales);
constexpr uint32_t cb_strip_largest = index_of(Cb::StripLargest);
constexpr uint32_t cb_sinks = index_of(Cb::Sinks);
constexpr uint32_t kScaledTiles = 4;
constexpr uint32_t kStripTiles = 4;
constexpr float kBeforeAll = -2e30F;        // below every masked score
constexpr uint32_t kSmallest = 0x0DA24260;  // 1e-30: sums are at least about 1

struct Shapes : ComputeArgs {
    uint32_t value_tile(uint32_t key_tile, uint32_t tile) const {
        return key_tile * (has_values != 0 ? value_tiles : query_tiles) + tile;
    }
    uint32_t cb_of_values() const { return has_values != 0 ? cb_values : cb_keys; }
};

// Packs DST tile `dst` to a page of `cb`.
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
