// SPDX-License-Identifier: Apache-2.0
// Second half of a norm whose mean squares are known. The first core computes the scale. All cores
// scale their shard and multiply it by gamma. Compile-time args: tiles of a shard, of a subblock.
// Runtime args: role.

#include "norm_tiles.hpp"

namespace {

void mean_of_devices() {
    cb_reserve_back(cb_row_sum, 1);
    cb_wait_front(cb_global_scaler, 1);
    cb_wait_front(cb_statistics, 1);
    norm::arm_sum(cb_statistics, cb_global_scaler, cb_row_sum);
    tile_regs_acquire();
    norm::add_to_sum(cb_statistics, cb_global_scaler, 0);
    norm::pack_tiles(cb_row_sum, 1);
    reduce_uninit();
    cb_push_back(cb_row_sum, 1);
}

}  // namespace

void kernel_main() {
    const uint32_t tiles = get_compile_time_arg_val(0);
    const uint32_t subblock = get_compile_time_arg_val(1);
    const auto role = static_cast<Role>(get_arg_val<uint32_t>(0));

    compute_kernel_hw_startup(cb_in, cb_global_scaler, cb_out);
    if (role == Role::First) {
        mean_of_devices();
        reconfig_data_format(cb_row_sum, cb_epsilon);
        pack_reconfig_data_format(cb_scale);
        norm::find_scale(cb_row_sum);
    }
    cb_wait_front(cb_in, tiles);
    pack_reconfig_data_format(cb_work);
    norm::scale_tiles(tiles, subblock);
    norm::weight_tiles(tiles, subblock);
}
