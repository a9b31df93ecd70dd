// SPDX-License-Identifier: Apache-2.0
// Cores that hold columns of in0 take turns. Each one multicasts its shard to a rectangle of cores
// after they have requested it. A holder outside of the rectangle only sends. A core without output
// of its own discards what it receives.
#include "../../../../ops/shared/kernels/block_handshake.hpp"

namespace {

constexpr uint32_t cb_in0 = tt::CBIndex::c_0;
constexpr uint32_t cb_shard = tt::CBIndex::c_2;

struct Turn {
    uint64_t rectangle;
    uint32_t num_cores;    // in the rectangle, with or without a kernel
    uint32_t num_replies;  // in the rectangle, with a kernel
    uint32_t position;     // index of this core among the holders
    bool takes_part;       // whether this core is in the rectangle
    bool has_work;
    uint32_t replies_addr;
    uint32_t flag_addr;
    uint32_t valid_addr;
};

// Holders are ordered row by row.
uint64_t replies_of(const Turn& turn, uint32_t holder) {
    const uint32_t columns = get_compile_time_arg_val(2);
    return get_noc_addr(get_arg_val<uint32_t>(7) + holder % columns,
                        get_arg_val<uint32_t>(8) + holder / columns, turn.replies_addr);
}

void send_shard(const Turn& turn, uint32_t bytes) {
    const uint32_t from = get_read_ptr(cb_shard);
    const uint64_t to = turn.rectangle | get_write_ptr(cb_in0);
    noc_semaphore_wait(semaphore_at(turn.replies_addr),
                       turn.num_replies - (turn.takes_part ? 1 : 0));
    noc_semaphore_set(semaphore_at(turn.replies_addr), 0);
    if (turn.takes_part) {
        noc_async_write_multicast_loopback_src(from, to, bytes, turn.num_cores, true);
        noc_semaphore_set_multicast_loopback_src(turn.valid_addr, turn.rectangle | turn.flag_addr,
                                                 turn.num_cores);
    } else {
        noc_async_write_multicast(from, to, bytes, turn.num_cores, true);
        noc_semaphore_set_multicast(turn.valid_addr, turn.rectangle | turn.flag_addr,
                                    turn.num_cores);
    }
}

void take_turn(const Turn& turn, uint32_t holder, uint32_t shard_tiles) {
    cb_reserve_back(cb_in0, shard_tiles);
    if (turn.takes_part) {
        noc_semaphore_set(semaphore_at(turn.flag_addr), INVALID);
    }
    if (holder == turn.position) {
        send_shard(turn, shard_tiles * get_tile_size(cb_in0));
    } else if (turn.takes_part) {
        noc_semaphore_inc(replies_of(turn, holder), 1);
    }
    if (turn.takes_part) {
        noc_semaphore_wait(semaphore_at(turn.flag_addr), VALID);
    }
    cb_push_back(cb_in0, shard_tiles);
    if (!turn.has_work) {
        cb_wait_front(cb_in0, shard_tiles);
        cb_pop_front(cb_in0, shard_tiles);
    }
}

}  // namespace

void kernel_main() {
    const Turn turn{
        .rectangle = get_noc_multicast_addr(get_arg_val<uint32_t>(3), get_arg_val<uint32_t>(4),
                                            get_arg_val<uint32_t>(5), get_arg_val<uint32_t>(6), 0),
        .num_cores = get_compile_time_arg_val(3),
        .num_replies = get_compile_time_arg_val(4),
        .position = get_arg_val<uint32_t>(0),
        .takes_part = get_arg_val<uint32_t>(1) != 0,
        .has_work = get_arg_val<uint32_t>(2) != 0,
        .replies_addr = get_semaphore(get_compile_time_arg_val(5)),
        .flag_addr = get_semaphore(get_compile_time_arg_val(6)),
        .valid_addr = get_semaphore(get_compile_time_arg_val(7))};
    const uint32_t num_holders = get_compile_time_arg_val(0);
    const uint32_t shard_tiles = get_compile_time_arg_val(1);
    for (uint32_t holder = 0; holder < num_holders; ++holder) {
        take_turn(turn, holder, shard_tiles);
    }
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
