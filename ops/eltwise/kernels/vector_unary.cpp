// SPDX-License-Identifier: Apache-2.0
// A function of single tiles in the vector unit.
#include "args.hpp"
#include "function_code.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::eltwise;

constexpr uint32_t cb_a = index_of(Cb::A);
constexpr uint32_t cb_out = index_of(Cb::Output);

// Functions of DST tile 0, selected by code. `site` is the kernel's own line: the line of a row of
// the table would not show where a kernel waits.
#define ARGUMENTS_EXACT
#define ARGUMENTS_WITH(...) <__VA_ARGS__>
#define ARGUMENTS_WITH_MODE(...) <__VA_ARGS__>

template <bool approximate>
void init_function(uint32_t function, CallSite site = CallSite::here()) {
    switch (function) {
#define SFPU_CHOICE(call, Word, shape, options, routine, constants, yaml, domain, arguments, ...) \
    case k##Word:                                                                                 \
        return call##_init ARGUMENTS_##arguments(site);
#include "tessera/kernel/compute/sfpu_table.inc"
    }
}

#undef ARGUMENTS_WITH_MODE
#define ARGUMENTS_WITH_MODE(...) <VectorMode::RC, __VA_ARGS__>
#define PARAMETERS_TILE (0, site)
#define PARAMETERS_MODE (0, site)
#define PARAMETERS_FACES (0, VectorMode::RC, site)
#define PARAMETERS_SCALED (0, VectorMode::RC, 0x3F80, site)

template <bool approximate>
void apply_function(uint32_t function, CallSite site = CallSite::here()) {
    switch (function) {
#define SFPU_CHOICE(call, Word, shape, options, routine, constants, yaml, domain, arguments, ...) \
    case k##Word:                                                                                 \
        return call ARGUMENTS_##arguments PARAMETERS_##shape;
#include "tessera/kernel/compute/sfpu_table.inc"
    }
}

// The vendor's functions take the faster form as a template argument, so a runtime choice needs two
// instances.
template <bool approximate>
void map_tiles(uint32_t function, uint32_t num_tiles, uint32_t tiles_per_push) {
    init_sfpu(cb_a, cb_out);
    init_function<approximate>(function);
    for (uint32_t left = num_tiles; left > 0;) {
        const uint32_t count = left < tiles_per_push ? 1 : tiles_per_push;
        // Output room for a push, input tile by tile, as in tt-metal's eltwise_sfpu.cpp.
        cb_reserve_back(cb_out, count);
        for (uint32_t tile = 0; tile < count; ++tile) {
            tile_regs_acquire();
            cb_wait_front(cb_a, 1);
            copy_tile(cb_a, 0, 0);
            apply_function<approximate>(function);
            tile_regs_commit();
            tile_regs_wait();
            pack_tile(0, cb_out);
            cb_pop_front(cb_a, 1);
            tile_regs_release();
        }
        cb_push_back(cb_out, count);
        left -= count;
    }
}

}  // namespace

void kernel_main() {
    const uint32_t num_tiles = ComputeRange::read().num_tiles;
    const auto args = ComputeArgs::read();
    if (args.approximate != 0) {
        map_tiles<true>(args.function, num_tiles, args.tiles_per_push);
    } else {
        map_tiles<false>(args.function, num_tiles, args.tiles_per_push);
    }
}
