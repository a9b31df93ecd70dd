// SPDX-License-Identifier: Apache-2.0
// add, sub or mul of tile pairs in the matrix unit.
#include "function_code.hpp"
#include "pair_pushes.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::eltwise;

constexpr uint32_t cb_a = index_of(Cb::A);
constexpr uint32_t cb_b = index_of(Cb::B);
constexpr uint32_t cb_out = index_of(Cb::Output);

void init(uint32_t function) {
    if (function == kAdd) {
        add_tiles_init(cb_a, cb_b);
    } else if (function == kSub) {
        sub_tiles_init(cb_a, cb_b);
    } else {
        mul_tiles_init(cb_a, cb_b);
    }
}

void apply(uint32_t function, uint32_t tile) {
    if (function == kAdd) {
        add_tiles(cb_a, cb_b, tile, tile, 0);
    } else if (function == kSub) {
        sub_tiles(cb_a, cb_b, tile, tile, 0);
    } else {
        mul_tiles(cb_a, cb_b, tile, tile, 0);
    }
}

}  // namespace

void kernel_main() {
    const uint32_t num_tiles = ComputeRange::read().num_tiles;
    const auto args = ComputeArgs::read();

    binary_op_init_common(cb_a, cb_b, cb_out);
    init(args.function);
    for_each_pair(num_tiles, args.tiles_per_push,
                  [&](uint32_t tile) { apply(args.function, tile); });
}
