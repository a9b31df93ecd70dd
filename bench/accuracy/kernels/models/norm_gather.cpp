// SPDX-License-Identifier: Apache-2.0
// Gathers the cores' partial sums in two stages of reads. Stage 1: the first core of each row of
// cores reads the sums of its row. Stage 2: the first core of all reads the sums of the first
// column. In a whole norm the first core then multicasts the scale to all cores.
// Compile-time args: stage; columns, rows; semaphores: arrived cores, start and scale, summed rows;
// NoC coordinates of the first core and of the last. Runtime args: role, tiles of the shard.

#include "norm_cbs.hpp"

namespace {

using Word = volatile tt_l1_ptr uint32_t*;

constexpr uint32_t kScaleIsThere = 2;

struct Args {
    Stage stage = static_cast<Stage>(get_compile_time_arg_val(0));
    uint32_t columns = get_compile_time_arg_val(1);
    uint32_t rows = get_compile_time_arg_val(2);
    uint32_t arrived = get_semaphore(get_compile_time_arg_val(3));
    uint32_t go = get_semaphore(get_compile_time_arg_val(4));
    uint32_t summed = get_semaphore(get_compile_time_arg_val(5));
    uint32_t first_x = get_compile_time_arg_val(6);
    uint32_t first_y = get_compile_time_arg_val(7);
    uint32_t last_x = get_compile_time_arg_val(8);
    uint32_t last_y = get_compile_time_arg_val(9);

    uint32_t others() const { return columns * rows - 1; }
    uint64_t all_cores(uint32_t address) const {
        return get_noc_multicast_addr(first_x, first_y, last_x, last_y, address);
    }
};

Word word(uint32_t address) {
    return reinterpret_cast<Word>(address);
}

void start_all(const Args& args) {
    noc_semaphore_set(word(args.go), VALID);
    noc_semaphore_wait(word(args.arrived), args.others());
    noc_semaphore_set(word(args.arrived), 0);
    noc_semaphore_set_multicast(args.go, args.all_cores(args.go), args.others());
}

void wait_for_start(const Args& args) {
    noc_semaphore_set(word(args.go), INVALID);
    noc_semaphore_inc(get_noc_addr(args.first_x, args.first_y, args.arrived), 1);
    noc_semaphore_wait(word(args.go), VALID);
}

void gather_row(const Args& args) {
    const uint32_t bytes = get_tile_size(cb_partial);
    const uint32_t from = get_read_ptr(cb_partial);
    cb_reserve_back(cb_gathered, args.columns);
    uint32_t to = get_write_ptr(cb_gathered);
    for (uint32_t column = 0; column < args.columns; ++column) {
        noc_async_read(get_noc_addr(args.first_x + column, my_y[noc_index], from), to, bytes);
        to += bytes;
    }
    noc_async_read_barrier();
    cb_push_back(cb_gathered, args.columns);
}

void gather_column(const Args& args) {
    const uint32_t bytes = get_tile_size(cb_row_sum);
    const uint32_t from = get_read_ptr(cb_row_sum);
    noc_semaphore_wait(word(args.summed), args.rows - 1);
    noc_semaphore_set(word(args.summed), 0);
    cb_reserve_back(cb_gathered, args.rows - 1);
    uint32_t to = get_write_ptr(cb_gathered);
    for (uint32_t row = 1; row < args.rows; ++row) {
        noc_async_read(get_noc_addr(args.first_x, args.first_y + row, from), to, bytes);
        to += bytes;
    }
    noc_async_read_barrier();
    cb_push_back(cb_gathered, args.rows - 1);
}

// Each gatherer pushes as many tiles as the compute kernel of a whole norm pops.
void hand_over_sum(const Args& args) {
    if (args.stage == Stage::Whole) {
        cb_reserve_back(cb_gathered, args.rows - 1);
        cb_push_back(cb_gathered, args.rows - 1);
    }
    cb_wait_front(cb_row_sum, 1);
    noc_semaphore_inc(get_noc_addr(args.first_x, args.first_y, args.summed), 1);
}

void send_scale(const Args& args) {
    const uint32_t bytes = get_tile_size(cb_scale);
    cb_wait_front(cb_scale, 1);
    cb_pop_front(cb_partial, 1);
    cb_reserve_back(cb_global, 1);
    const uint32_t scale = get_write_ptr(cb_global);
    noc_async_read(get_noc_addr(get_read_ptr(cb_scale)), scale, bytes);
    noc_async_read_barrier();
    cb_push_back(cb_global, 1);
    noc_semaphore_set(word(args.go), kScaleIsThere);
    noc_async_write_multicast(scale, args.all_cores(scale), bytes, args.others(), true);
    noc_semaphore_set_multicast(args.go, args.all_cores(args.go), args.others());
    noc_async_write_barrier();
}

void receive_scale(const Args& args) {
    cb_reserve_back(cb_global, 1);
    noc_semaphore_wait_min(word(args.go), kScaleIsThere);
    cb_push_back(cb_global, 1);
    cb_pop_front(cb_partial, 1);
}

}  // namespace

void kernel_main() {
    const Args args;
    const auto role = static_cast<Role>(get_arg_val<uint32_t>(0));
    const uint32_t tiles = get_arg_val<uint32_t>(1);

    cb_reserve_back(cb_in, tiles);
    cb_push_back(cb_in, tiles);
    cb_wait_front(cb_partial, 1);
    if (role == Role::First) {
        start_all(args);
    } else {
        wait_for_start(args);
    }
    if (role != Role::Other) {
        gather_row(args);
    }
    if (role == Role::First) {
        gather_column(args);
    } else if (role == Role::Gatherer) {
        hand_over_sum(args);
    }
    if (args.stage == Stage::BeforeGather) {
        noc_async_write_barrier();
    } else if (role == Role::First) {
        send_scale(args);
    } else {
        receive_scale(args);
    }
    noc_async_atomic_barrier();
}
