// SPDX-License-Identifier: Apache-2.0
// Tiles strips of codes and multiplies each row by its scale in fp32.
#include "../../shared/fp8_blocks/kernels/quantise.hpp"
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::fp8_dequantise;

constexpr uint32_t cb_rows = index_of(Cb::Rows);
constexpr uint32_t cb_codes = index_of(Cb::Codes);
constexpr uint32_t cb_scale = index_of(Cb::Scale);
constexpr uint32_t cb_out = index_of(Cb::Output);
constexpr uint32_t kTiles = fp8_strips::kStripTiles;

}  // namespace

void kernel_main() {
    const uint32_t num_strips = StripCount::read().num_strips;

    unary_op_init_common(cb_rows, cb_codes);
    for (uint32_t strip = 0; strip < num_strips; ++strip) {
        // Codes arrive as rows. The unpacker widens them when the tile is copied to DST, which is
        // exact.
        cb_wait_front(cb_rows, kTiles);
        cb_reserve_back(cb_codes, kTiles);
        // The strip before left packer and unpacker with other formats.
        tilize_init(cb_rows, kTiles, cb_codes);
        tilize_block(cb_rows, kTiles, cb_codes);
        tilize_uninit(cb_rows, cb_codes);
        cb_push_back(cb_codes, kTiles);
        cb_pop_front(cb_rows, kTiles);

        cb_wait_front(cb_codes, kTiles);
        cb_wait_front(cb_scale, 1);
        fp8_strips::send_scaled_rows(cb_codes, 0, {cb_scale}, fp8_strips::CodeForm::Multiply,
                                     cb_out);
        cb_pop_front(cb_scale, 1);
        cb_pop_front(cb_codes, kTiles);
    }
}
