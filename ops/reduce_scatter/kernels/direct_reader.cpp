// SPDX-License-Identifier: Apache-2.0
// Brings in own tiles: first those of others' slices, then those of the slice that stays, beside
// which the others' arrive.
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
    const uint32_t input_address = get_arg_val<uint32_t>(0);
    const uint32_t arrived_id = get_arg_val<uint32_t>(1);
    const DirectShare share = direct_share_from_args(2);
    constexpr int kFirstPeer = 8;

    constexpr auto input_args = TensorAccessorArgs<0>();
    const auto input = TensorAccessor(input_args, input_address);
    auto* arrived = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(arrived_id));
    if (share.count == 0) {
        return;
    }
    const uint32_t num_peers = share.num_devices - 1;
    for (uint32_t peer = 0; peer < num_peers; ++peer) {
        push_slice(share, input, get_arg_val<uint32_t>(kFirstPeer + static_cast<int>(peer)));
    }
    // All chunks at once: what arrives does not wait for room.
    cb_reserve_back(kCbArrived, share.num_chunks() * share.group());
    for (uint32_t i = 0; i < share.num_chunks(); ++i) {
        issue_tiles(
            input, share.begin_of(share.position) + i * share.chunk, share.tiles_in(i),
            get_write_ptr(kCbArrived) + share.place(i, share.position) * get_tile_size(kCbArrived));
    }
    noc_async_read_barrier();
    noc_semaphore_wait_min(arrived, num_peers);
    cb_push_back(kCbArrived, share.num_chunks() * share.group());
}
