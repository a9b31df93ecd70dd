// SPDX-License-Identifier: Apache-2.0
// Tiles the strips of a block, sends the writer their largest magnitudes, and scales them when it
// has answered.
#include "../../shared/fp8_blocks/kernels/quantise.hpp"
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::quantise;

constexpr uint32_t cb_rows = index_of(Cb::Rows);
constexpr uint32_t cb_values = index_of(Cb::Values);
constexpr uint32_t cb_largest = index_of(Cb::Largest);
constexpr uint32_t cb_scale = index_of(Cb::Scale);
constexpr uint32_t cb_out = index_of(Cb::Output);

using fp8_strips::kStripTiles;

void tile_strip() {
    cb_wait_front(cb_rows, kStripTiles);
    cb_reserve_back(cb_values, kStripTiles);
    // The step before left packer and unpacker with other formats.
    tilize_init(cb_rows, kStripTiles, cb_values);
    tilize_block(cb_rows, kStripTiles, cb_values);
    tilize_uninit(cb_rows, cb_values);
    cb_push_back(cb_values, kStripTiles);
    cb_pop_front(cb_rows, kStripTiles);
}

void scale_block(uint32_t strips, fp8::CodeForm form) {
    for (uint32_t strip = 0; strip < strips; ++strip) {
        tile_strip();
    }
    // All strips of the block are in L1, so that each is tilized once.
    cb_wait_front(cb_values, strips * kStripTiles);
    for (uint32_t strip = 0; strip < strips; ++strip) {
        fp8_strips::send_largest(cb_values, strip * kStripTiles, cb_largest);
    }
    // The writer makes the scale from the largest elements: one division a row in scalar code.
    cb_wait_front(cb_scale, 1);
    for (uint32_t strip = 0; strip < strips; ++strip) {
        fp8_strips::send_scaled_rows(cb_values, strip * kStripTiles, {cb_scale}, form, cb_out);
    }
    cb_pop_front(cb_scale, 1);
    cb_pop_front(cb_values, strips * kStripTiles);
}

}  // namespace

void kernel_main() {
    const uint32_t num_blocks = BlockCount::read().num_blocks;
    const auto args = ComputeArgs::read();
    const auto form = static_cast<fp8::CodeForm>(args.form);

    unary_op_init_common(cb_rows, cb_values);
    for (uint32_t block = 0; block < num_blocks; ++block) {
        scale_block(args.strips, form);
    }
}
