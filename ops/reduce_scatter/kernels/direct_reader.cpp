// SPDX-License-Identifier: Apache-2.0
// Reads own tiles: first those of slices that are sent, then those of the slice that stays, next to
// which other devices' tiles arrive.
#include "direct_share.hpp"

namespace {

template <typename Accessor>
void issue_tiles(const Accessor& input, uint32_t begin, uint32_t count, uint32_t l1_address) {
    for (uint32_t tile = begin; tile < begin + count; ++tile) {
        noc_async_read_tile(tile, input, l1_address);
        l1_address += get_tile_size(kCbSend);
    }
}

template <typename Accessor>
void push_slice(const DirectShare& share, const Accessor& input, uint32_t slice) {
    for (uint32_t i = 0; i < share.num_chunks(); ++i) {
        cb_reserve_back(kCbSend, share.chunk);
        issue_tiles(input, share.begin_of(slice) + i * share.chunk, share.tiles_in(i),
                    get_write_ptr(kCbSend));
        noc_async_read_barrier();
        cb_push_back(kCbSend, share.chunk);
    }
}

}  // namespace

void kernel_main() {
    const uint32_t input_address = ReaderTensors::input_address();
    constexpr uint32_t kFirst = ReaderTensors::Addresses::kCount;
    const auto core = ReaderCore::read(kFirst);
    constexpr uint32_t kFirstOfShare = kFirst + ReaderCore::kCount;
    const DirectShare share = direct_share_from_args(kFirstOfShare);
    constexpr uint32_t kFirstPeer = kFirstOfShare + ShareArgs::kCount;

    const auto input = TensorAccessor(ReaderTensors::input(), input_address);
    auto* arrived =
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(core.arrived_semaphore));
    if (share.count == 0) {
        return;
    }
    const uint32_t num_peers = share.num_devices - 1;
    // Slices of others go first, the farthest at the front: nothing is summed here before all have
    // arrived.
    for (uint32_t peer = 0; peer < num_peers; ++peer) {
        push_slice(share, input, PeerSlice::read(kFirstPeer + peer).slice);
    }
    // All chunks at once: arriving data does not wait for space.
    cb_reserve_back(kCbArrived, share.num_chunks() * share.group());
    for (uint32_t i = 0; i < share.num_chunks(); ++i) {
        issue_tiles(
            input, share.begin_of(share.position) + i * share.chunk, share.tiles_in(i),
            get_write_ptr(kCbArrived) + share.place(i, share.position) * get_tile_size(kCbArrived));
    }
    // Tiles of other devices may arrive during these reads, because each block has its own space.
    noc_async_read_barrier();
    // Each peer increments with its last packet: compute starts when all tiles have arrived.
    noc_semaphore_wait_min(arrived, num_peers);
    cb_push_back(kCbArrived, share.num_chunks() * share.group());
}
