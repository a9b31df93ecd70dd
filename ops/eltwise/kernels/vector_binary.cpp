// SPDX-License-Identifier: Apache-2.0
// A function of tile pairs in the vector unit: both tiles are copied to DST first.
#include "function_code.hpp"
#include "pair_pushes.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::eltwise;

constexpr uint32_t cb_a = index_of(Cb::A);
constexpr uint32_t cb_b = index_of(Cb::B);
constexpr uint32_t cb_out = index_of(Cb::Output);

// Operands in DST 0 and 1, result in 0: the inputs are not needed afterwards.
#define PARAMETERS_ROUNDED (0, 1, 0, site)
#define PARAMETERS_NEAREST (0, 1, 0, site)
#define PARAMETERS_MODE (0, 1, 0, VectorMode::RC, site)

// `site` is the kernel's own line. The line of a macro row would not say where a kernel waits.
void init(uint32_t function, CallSite site = CallSite::here()) {
    switch (function) {
#define SFPU_BINARY_CHOICE(call, Word, ...) \
    case k##Word:                           \
        return call##_init(site);
#include "tessera/kernel/compute/sfpu_table.inc"
    }
}

void apply(uint32_t function, CallSite site = CallSite::here()) {
    switch (function) {
#define SFPU_BINARY_CHOICE(call, Word, shape, ...) \
    case k##Word:                                  \
        return call PARAMETERS_##shape;
#include "tessera/kernel/compute/sfpu_table.inc"
    }
}

}  // namespace

void kernel_main() {
    const uint32_t num_tiles = ComputeRange::read().num_tiles;
    const auto args = ComputeArgs::read();

    unary_op_init_common(cb_a, cb_out);
    init(args.function);
    for_each_pair(num_tiles, args.tiles_per_push, [&](uint32_t tile) {
        // The unpacker is told of the other buffer before each copy, as in tt-metal's
        // eltwise_binary_sfpu kernel: a and b may differ in format.
        copy_tile_to_dst_init_short_with_dt(cb_b, cb_a);
        copy_tile(cb_a, tile, 0);
        copy_tile_to_dst_init_short_with_dt(cb_a, cb_b);
        copy_tile(cb_b, tile, 1);
        apply(args.function);
    });
}
