// SPDX-License-Identifier: Apache-2.0
// Stores the scores of units, −∞ for the keys that a token does not attend to.
#include "args.hpp"
#include "dataflow_api.h"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::index_scores;

constexpr uint32_t kCbUnits = index_of(Cb::WriterUnits);
constexpr uint32_t kCbOut = index_of(Cb::Output);
constexpr uint32_t kCbRow = index_of(Cb::OutputRow);
constexpr uint32_t kTileRows = 32;
constexpr uint32_t kUnseen = 0xFF800000;

using Words = volatile tt_l1_ptr uint32_t*;

// Makes row 0 of a tile, whose faces hold 16 elements each.
void make_row(Words row, const Words tile, uint32_t num_seen) {
    for (uint32_t i = 0; i < kTileRows; ++i) {
        row[i] = i < num_seen ? tile[i / 16 * 256 + i % 16] : kUnseen;
    }
}

}  // namespace

void kernel_main() {
    const auto args = WriterArgs::read();
    const TensorAccessor scores(WriterTensors::scores(), WriterTensors::scores_address());

    const uint32_t row_l1 = get_write_ptr(kCbRow);
    auto* row = reinterpret_cast<Words>(row_l1);
    for (;;) {
        cb_wait_front(kCbUnits, 1);
        const auto* words = reinterpret_cast<Words>(get_read_ptr(kCbUnits));
        const uint32_t token = words[kTokenWord];
        const uint32_t first = words[kFirstKeyWord];
        const uint32_t num_tiles = words[kNumTilesWord];
        const uint32_t seen = words[kNumSeenWord];
        cb_pop_front(kCbUnits, 1);
        // The token's number is increased by 1, so that 0 can end the loop.
        if (token == 0) {
            return;
        }
        for (uint32_t tile = 0; tile < args.key_tiles; ++tile) {
            const uint32_t key = first + tile * kTileRows;
            if (tile < num_tiles) {
                cb_wait_front(kCbOut, 1);
                // Keys after the token's own position score minus infinity: top_k then never takes
                // them.
                make_row(row, reinterpret_cast<Words>(get_read_ptr(kCbOut)), seen - key);
                cb_pop_front(kCbOut, 1);
            } else if (key < args.num_positions) {
                // Rows without scores are made here, without compute.
                make_row(row, row, 0);
            }
            if (key < args.num_positions) {
                const uint32_t left = args.num_positions - key;
                noc_async_write(row_l1, scores.get_noc_addr(token - 1, key * sizeof(uint32_t)),
                                (left < kTileRows ? left : kTileRows) * sizeof(uint32_t));
                noc_async_write_barrier();  // the next row is made in the same place
            }
        }
    }
}
