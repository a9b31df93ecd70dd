// SPDX-License-Identifier: Apache-2.0
// Shards of a tensor travel around a ring of cores. Each core sends its own shard first, then
// forwards every shard that arrives and pushes it to compute. A hop core is outside of the ring and
// only forwards shards. A write and its increment take the same path, so the increment signals that
// the shard has arrived.
#include "args.hpp"

using namespace tessera::score;

namespace {

constexpr uint32_t cb_own = tt::CBIndex::c_0;
constexpr uint32_t cb_arrived = tt::CBIndex::c_2;

struct Ring {
    uint32_t size;
    uint32_t position;
    uint32_t next_x;
    uint32_t next_y;
    uint32_t counter_addr;
    bool is_hop;
};

struct Shards {
    uint32_t tiles;
    uint32_t width;
    uint32_t k_tiles;

    bool is_padding(uint32_t index) const { return index * width >= k_tiles; }
};

void send(const Ring& ring, uint32_t from, uint32_t to, uint32_t bytes, bool has_data) {
    if (has_data) {
        noc_async_write(from, get_noc_addr(ring.next_x, ring.next_y, to), bytes);
    }
    noc_semaphore_inc(get_noc_addr(ring.next_x, ring.next_y, ring.counter_addr), 1);
}

Ring ring_from_args() {
    const auto args = RingForwardArgs::read();
    const RingPlace::Each place;
    return {.size = args.size,
            .position = place.position(),
            .next_x = place.next_x(),
            .next_y = place.next_y(),
            .counter_addr = get_semaphore(args.counter),
            .is_hop = place.is_hop() != 0};
}

// Forwards the shard of one step. Step 0 is this core's own shard, which a hop core does not have.
void pass_on(const Ring& ring, const Shards& shards, uint32_t step) {
    const uint32_t bytes = shards.tiles * get_tile_size(cb_own);
    const uint32_t first_slot = get_write_ptr(cb_arrived);
    const uint32_t from = step == 0 ? get_read_ptr(cb_own) : first_slot + (step - 1) * bytes;
    const uint32_t to = first_slot + (ring.is_hop ? step - 1 : step) * bytes;
    const bool has_data = ring.is_hop || !shards.is_padding((ring.position + step) % ring.size);
    noc_semaphore_wait_min(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(ring.counter_addr), step);
    if (ring.is_hop || step + 1 < ring.size) {
        send(ring, from, to, bytes, has_data);
    }
}

}  // namespace

void kernel_main() {
    const Ring ring = ring_from_args();
    const auto args = RingForwardArgs::read();
    const Shards shards{.tiles = args.tiles, .width = args.width, .k_tiles = args.k_tiles};
    cb_reserve_back(cb_arrived, (ring.size - 1) * shards.tiles);
    for (uint32_t step = ring.is_hop ? 1 : 0; step < ring.size; ++step) {
        pass_on(ring, shards, step);
        if (step > 0) {
            cb_push_back(cb_arrived, shards.tiles);
        }
    }
    noc_async_writes_flushed();
    noc_async_atomic_barrier();
}
