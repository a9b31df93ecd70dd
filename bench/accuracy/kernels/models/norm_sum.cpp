// SPDX-License-Identifier: Apache-2.0
// Squares a shard and sums it over its columns. A gatherer adds the sums that it has read from
// other cores. In a whole norm it also scales the shard and multiplies it by gamma.
// Compile-time args: stage; tiles of a shard, of a subblock; columns and rows of cores.
// Runtime args: role.

#include "norm_tiles.hpp"

namespace {

void square(uint32_t tiles, uint32_t subblock) {
    mul_tiles_init(cb_in, cb_in);
    cb_wait_front(cb_in, tiles);
    cb_reserve_back(cb_work, tiles);
    for (uint32_t tile = 0; tile < tiles; tile += subblock) {
        tile_regs_acquire();
        for (uint32_t i = 0; i < subblock; ++i) {
            mul_tiles(cb_in, cb_in, tile + i, tile + i, i);
        }
        norm::pack_tiles(cb_work, subblock);
    }
    cb_push_back(cb_work, tiles);
}

void sum_shard(uint32_t tiles) {
    cb_wait_front(cb_work, tiles);
    norm::arm_sum(cb_work, cb_scaler, cb_partial);
    cb_wait_front(cb_scaler, 1);
    cb_reserve_back(cb_partial, 1);
    tile_regs_acquire();
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        norm::add_to_sum(cb_work, cb_scaler, tile);
    }
    norm::pack_tiles(cb_partial, 1);
    cb_push_back(cb_partial, 1);
    reduce_uninit();
    cb_pop_front(cb_work, tiles);
}

// Also pushes `unused` tiles without data.
void sum_gathered(uint32_t tiles, uint32_t unused, uint32_t to) {
    norm::arm_sum(cb_gathered, cb_global_scaler, to);
    cb_reserve_back(to, 1);
    cb_wait_front(cb_global_scaler, 1);
    tile_regs_acquire();
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        cb_wait_front(cb_gathered, 1);
        norm::add_to_sum(cb_gathered, cb_global_scaler, 0);
        cb_pop_front(cb_gathered, 1);
    }
    if (unused != 0) {
        cb_wait_front(cb_gathered, unused);
        cb_pop_front(cb_gathered, unused);
    }
    norm::pack_tiles(to, 1);
    reduce_uninit();
    cb_push_back(to, 1);
}

}  // namespace

void kernel_main() {
    const auto stage = static_cast<Stage>(get_compile_time_arg_val(0));
    const uint32_t tiles = get_compile_time_arg_val(1);
    const uint32_t subblock = get_compile_time_arg_val(2);
    const uint32_t columns = get_compile_time_arg_val(3);
    const uint32_t rows = get_compile_time_arg_val(4);
    const auto role = static_cast<Role>(get_arg_val<uint32_t>(0));
    const bool is_whole = stage == Stage::Whole;

    binary_op_init_common(cb_in, cb_in, cb_work);
    square(tiles, subblock);
    sum_shard(tiles);
    if (role == Role::First) {
        sum_gathered(columns + rows - 1, 0, is_whole ? cb_row_sum : cb_out);
    } else if (role == Role::Gatherer) {
        sum_gathered(columns, is_whole ? rows - 1 : 0, cb_row_sum);
    }
    if (!is_whole) {
        return;
    }
    if (role == Role::First) {
        norm::find_scale(cb_row_sum);
    }
    norm::scale_tiles(tiles, subblock);
    norm::weight_tiles(tiles, subblock);
}
