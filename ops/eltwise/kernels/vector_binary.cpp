// SPDX-License-Identifier: Apache-2.0
// A function of tile pairs in the vector unit: both tiles are copied to DST first.
#include "function_code.hpp"

namespace {

constexpr uint32_t cb_a = tt::CBIndex::c_0;
constexpr uint32_t cb_b = tt::CBIndex::c_1;
constexpr uint32_t cb_out = tt::CBIndex::c_16;

#define PARAMETERS_ROUNDED (0, 1, 0, site)
#define PARAMETERS_NEAREST (0, 1, 0, site)
#define PARAMETERS_MODE (0, 1, 0, VectorMode::RC, site)

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
    const uint32_t num_tiles = get_arg_val<uint32_t>(0);
    const uint32_t function = get_compile_time_arg_val(0);
    const uint32_t tiles_per_push = get_compile_time_arg_val(1);

    unary_op_init_common(cb_a, cb_out);
    init(function);
    for (uint32_t left = num_tiles; left > 0;) {
        const uint32_t count = left < tiles_per_push ? 1 : tiles_per_push;
        cb_wait_front(cb_a, count);
        cb_wait_front(cb_b, count);
        cb_reserve_back(cb_out, count);
        for (uint32_t tile = 0; tile < count; ++tile) {
            tile_regs_acquire();
            copy_tile_to_dst_init_short_with_dt(cb_b, cb_a);
            copy_tile(cb_a, tile, 0);
            copy_tile_to_dst_init_short_with_dt(cb_a, cb_b);
            copy_tile(cb_b, tile, 1);
            apply(function);
            tile_regs_commit();
            tile_regs_wait();
            pack_tile(0, cb_out);
            tile_regs_release();
        }
        cb_pop_front(cb_a, count);
        cb_pop_front(cb_b, count);
        cb_push_back(cb_out, count);
        left -= count;
    }
}
