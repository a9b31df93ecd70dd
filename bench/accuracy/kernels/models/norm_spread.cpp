// SPDX-License-Identifier: Apache-2.0
// Multicasts the scale from the first core to all cores, including itself, and then the word that
// signals it.
// Compile-time args: cores; semaphore; NoC coordinates of the first core and of the last.
// Runtime args: role, tiles of the shard.

#include "norm_cbs.hpp"

namespace {

using Word = volatile tt_l1_ptr uint32_t*;

void send(uint32_t there) {
    const uint32_t cores = get_compile_time_arg_val(0);
    const auto all_cores = [](uint32_t address) {
        return get_noc_multicast_addr(get_compile_time_arg_val(2), get_compile_time_arg_val(3),
                                      get_compile_time_arg_val(4), get_compile_time_arg_val(5),
                                      address);
    };
    cb_wait_front(cb_scale, 1);
    cb_reserve_back(cb_global, 1);
    noc_async_write_multicast_loopback_src(get_read_ptr(cb_scale),
                                           all_cores(get_write_ptr(cb_global)),
                                           get_tile_size(cb_scale), cores);
    noc_async_write_barrier();
    cb_push_back(cb_global, 1);
    cb_pop_front(cb_scale, 1);
    noc_semaphore_set(reinterpret_cast<Word>(there), VALID);
    noc_semaphore_set_multicast_loopback_src(there, all_cores(there), cores);
    noc_async_write_barrier();
}

}  // namespace

void kernel_main() {
    const uint32_t there = get_semaphore(get_compile_time_arg_val(1));
    const auto role = static_cast<Role>(get_arg_val<uint32_t>(0));
    const uint32_t tiles = get_arg_val<uint32_t>(1);

    cb_reserve_back(cb_in, tiles);
    cb_push_back(cb_in, tiles);
    if (role == Role::First) {
        cb_reserve_back(cb_statistics, 1);
        cb_push_back(cb_statistics, 1);
        send(there);
        return;
    }
    cb_reserve_back(cb_global, 1);
    noc_semaphore_wait(reinterpret_cast<Word>(there), VALID);
    cb_push_back(cb_global, 1);
}
