// SPDX-License-Identifier: Apache-2.0
// Cores that hold columns of in0 take turns. Each one multicasts its shard to a rectangle of cores
// after they have requested it. A holder outside of the rectangle only sends. A core without output
// of its own discards what it receives.
#include "../../../../ops/shared/kernels/block_handshake.hpp"
#include "args.hpp"

using namespace tessera::score;

namespace {

constexpr uint32_t cb_in0 = tt::CBIndex::c_0;
constexpr uint32_t cb_shard = tt::CBIndex::c_2;

struct Turn {
    uint64_t rectangle;
    uint32_t num_cores;
    uint32_t num_replies;
    uint32_t position;
    bool takes_part;
    bool has_work;
    uint32_t replies_addr;
    uint32_t flag_addr;
    uint32_t valid_addr;
};

// Holders are ordered row by row.
uint64_t replies_of(const Turn& turn, uint32_t holder) {
    const uint32_t columns = ShardMulticastArgs::read().columns;
    const ShardMulticastPlace::Each place;
    return get_noc_addr(place.first_x() + holder % columns, place.first_y() + holder / columns,
                        turn.replies_addr);
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
    const auto args = ShardMulticastArgs::read();
    const ShardMulticastPlace::Each place;
    const Turn turn{.rectangle = get_noc_multicast_addr(place.start_x(), place.start_y(),
                                                        place.end_x(), place.end_y(), 0),
                    .num_cores = args.num_cores,
                    .num_replies = args.num_replies,
                    .position = place.position(),
                    .takes_part = place.takes_part() != 0,
                    .has_work = place.has_work() != 0,
                    .replies_addr = get_semaphore(args.replies),
                    .flag_addr = get_semaphore(args.flag),
                    .valid_addr = get_semaphore(args.valid)};
    for (uint32_t holder = 0; holder < args.num_holders; ++holder) {
        take_turn(turn, holder, args.shard_tiles);
    }
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
