// SPDX-License-Identifier: Apache-2.0
// Tilizes the strips of a group, sends the writer their largest magnitudes, and scales the group
// before. The writer makes a group's scales meanwhile, so that the vector unit does not wait for
// them.
#include "../../shared/fp8_blocks/kernels/quantise.hpp"
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::quantise;

constexpr uint32_t cb_rows = index_of(Cb::Rows);
constexpr uint32_t cb_partial = index_of(Cb::Partial);
constexpr uint32_t cb_ones = index_of(Cb::Ones);
constexpr uint32_t cb_largest = index_of(Cb::Largest);
constexpr uint32_t cb_scale = index_of(Cb::Scale);
constexpr uint32_t cb_out = index_of(Cb::Output);

using fp8_strips::kStripTiles;

// Values of a group wait for its scales while those of the next one are tilized.
uint32_t values_of(uint32_t group) {
    return index_of(group % 2 == 0 ? Cb::Values : Cb::OtherValues);
}

void tilize_strip(uint32_t cb_values) {
    cb_wait_front(cb_rows, kStripTiles);
    cb_reserve_back(cb_values, kStripTiles);
    // The step before left packer and unpacker with other formats.
    tilize_init(cb_rows, kStripTiles, cb_values);
    tilize_block(cb_rows, kStripTiles, cb_values);
    tilize_uninit(cb_rows, cb_values);
    cb_push_back(cb_values, kStripTiles);
    cb_pop_front(cb_rows, kStripTiles);
}

void send_largest(const PieceComputeArgs& args, uint32_t cb_values, uint32_t first) {
    switch (static_cast<Largest>(args.largest)) {
        case Largest::None:
            return;
        case Largest::OfRows:
            fp8_strips::send_largest(cb_values, first, cb_partial);
            return fp8_strips::send_row_largest(cb_partial, cb_ones, cb_largest);
        case Largest::OfColumns:
            return fp8_strips::send_largest(cb_values, first, cb_largest);
    }
}

// Scales a strip of a group whose scales are there.
void send_codes(const PieceComputeArgs& args, uint32_t cb_values, uint32_t strip) {
    fp8_strips::send_scaled_rows(cb_values, strip * kStripTiles,
                                 {cb_scale, args.scale_tiles == 1 ? 0 : strip},
                                 static_cast<fp8::CodeForm>(args.form), cb_out);
}

void release(const PieceComputeArgs& args, uint32_t cb_values) {
    cb_pop_front(cb_scale, args.scale_tiles);
    cb_pop_front(cb_values, args.strips * kStripTiles);
}

}  // namespace

void kernel_main() {
    const uint32_t num_groups = BlockCount::read().num_blocks;
    const auto args = PieceComputeArgs::read();
    unary_op_init_common(cb_rows, values_of(0));
    cb_wait_front(cb_ones, 1);
    for (uint32_t group = 0; group < num_groups; ++group) {
        const uint32_t cb_values = values_of(group);
        for (uint32_t strip = 0; strip < args.strips; ++strip) {
            tilize_strip(cb_values);
            cb_wait_front(cb_values, (strip + 1) * kStripTiles);
            send_largest(args, cb_values, strip * kStripTiles);
            // Strips of two groups take turns, so that reads go on while the vector unit divides.
            if (group > 0) {
                cb_wait_front(cb_scale, args.scale_tiles);
                send_codes(args, values_of(group - 1), strip);
            }
        }
        if (group > 0) {
            release(args, values_of(group - 1));
        }
    }
    cb_wait_front(cb_scale, args.scale_tiles);
    for (uint32_t strip = 0; strip < args.strips; ++strip) {
        send_codes(args, values_of(num_groups - 1), strip);
    }
    release(args, values_of(num_groups - 1));
}
