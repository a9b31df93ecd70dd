// SPDX-License-Identifier: Apache-2.0
// Sends own tiles of each slice to where they are summed, and stores the slice that stays.
#include "direct_share.hpp"

namespace {

using tt::tt_fabric::WorkerToFabricEdmSender;

// One of the two directions out of the device. It may have no device.
class Outlet {
public:
    // Reads OutletArgs, and a connection if devices are reached over it.
    explicit Outlet(std::size_t& arg_index)
        : reach_(OutletArgs::read(arg_index).reach), header_(PacketHeaderPool::allocate_header()) {
        arg_index += OutletArgs::kCount;
        if (reach_ != 0) {
            connection_ =
                WorkerToFabricEdmSender::build_from_args<ProgrammableCoreType::TENSIX>(arg_index);
            // Started here and finished after the other connection: both routers answer at the
            // same time.
            connection_.open_start();
        }
    }
    void open_finish() {
        if (reach_ != 0) {
            connection_.open_finish();
        }
    }
    void close_start() {
        if (reach_ != 0) {
            connection_.close_start();
        }
    }
    void close_finish() {
        if (reach_ != 0) {
            connection_.close_finish();
        }
    }
    // Counts up a word of this core's own on each of them.
    void tell(uint64_t word) {
        if (reach_ != 0) {
            header_->to_chip_multicast({1, static_cast<uint8_t>(reach_)});
            header_->to_noc_unicast_atomic_inc(
                tt::tt_fabric::NocUnicastAtomicIncCommandHeader{word, 1});
            connection_.wait_for_empty_write_slot();
            send_header();
        }
    }
    void aim(uint32_t hops) { header_->to_chip_unicast(static_cast<uint8_t>(hops)); }
    // The last packet increments a word at the destination.
    void send(uint32_t source, uint32_t bytes, uint64_t destination, bool is_last, uint64_t word) {
        // The count travels in the last packet. A separate packet would cost a router's slot.
        if (is_last) {
            header_->to_noc_fused_unicast_write_atomic_inc(
                tt::tt_fabric::NocUnicastAtomicIncFusedCommandHeader{destination, word, 1}, bytes);
        } else {
            header_->to_noc_unicast_write(tt::tt_fabric::NocUnicastCommandHeader{destination},
                                          bytes);
        }
        connection_.wait_for_empty_write_slot();
        connection_.send_payload_without_header_non_blocking_from_address(source, bytes);
        send_header();
    }

private:
    void send_header() {
        // The header is reused for the next packet, so it must have left L1.
        connection_.send_payload_flush_blocking_from_address(reinterpret_cast<uint32_t>(header_),
                                                             sizeof(PACKET_HEADER_TYPE));
    }

    uint32_t reach_;
    volatile tt_l1_ptr PACKET_HEADER_TYPE* header_;
    WorkerToFabricEdmSender connection_;
};

// Sends the tiles of a slice, chunk by chunk out of the circular buffer, to the core of the same
// place.
void send_slice(const DirectShare& share, uint32_t slice, uint32_t packet_tiles, Outlet& outlet,
                uint32_t arrived_place, uint64_t arrived) {
    const uint32_t tile_bytes = get_tile_size(kCbSend);
    for (uint32_t i = 0; i < share.num_chunks(); ++i) {
        cb_wait_front(kCbSend, share.chunk);
        const uint32_t source = get_read_ptr(kCbSend);
        const uint32_t place = arrived_place + share.place(i, slice) * tile_bytes;
        const uint32_t tiles = share.tiles_in(i);
        for (uint32_t tile = 0; tile < tiles; tile += packet_tiles) {
            const uint32_t count = tiles - tile < packet_tiles ? tiles - tile : packet_tiles;
            const bool is_last = i + 1 == share.num_chunks() && tile + count == tiles;
            outlet.send(source + tile * tile_bytes, count * tile_bytes,
                        get_noc_addr(place + tile * tile_bytes), is_last, arrived);
        }
        // The chunk's pages may be read into again only when their packets have left.
        noc_async_writes_flushed();
        cb_pop_front(kCbSend, share.chunk);
    }
}

template <typename Accessor>
void store_sums(const DirectShare& share, const Accessor& output) {
    for (uint32_t i = 0; i < share.num_chunks(); ++i) {
        cb_wait_front(kCbSum, share.chunk);
        for (uint32_t tile = 0; tile < share.tiles_in(i); ++tile) {
            noc_async_write_tile(share.first + i * share.chunk + tile, output,
                                 get_read_ptr(kCbSum) + tile * get_tile_size(kCbSum));
        }
        noc_async_writes_flushed();
        cb_pop_front(kCbSum, share.chunk);
    }
}

// Both ways close at the same time.
void close(Outlet& forward, Outlet& backward) {
    forward.close_start();
    backward.close_start();
    forward.close_finish();
    backward.close_finish();
}

}  // namespace

void kernel_main() {
    const uint32_t output_address = WriterTensors::output_address();
    constexpr uint32_t kFirst = WriterTensors::Addresses::kCount;
    const auto core = WriterCore::read(kFirst);
    constexpr uint32_t kFirstOfShare = kFirst + WriterCore::kCount;
    const DirectShare share = direct_share_from_args(kFirstOfShare);
    constexpr uint32_t kFirstPeer = kFirstOfShare + ShareArgs::kCount;
    const uint32_t num_peers = share.num_devices - 1;
    std::size_t arg_index = kFirstPeer + PeerRoute::kCount * num_peers;

    const auto output = TensorAccessor(WriterTensors::output(), output_address);
    if (share.count == 0) {
        return;
    }
    // Programs of devices differ only in their arguments, so buffers have the same address
    // everywhere.
    const uint32_t arrived_place = get_write_ptr(kCbArrived);
    const uint64_t arrived = get_noc_addr(get_semaphore(core.arrived_semaphore));
    Outlet forward(arg_index);
    Outlet backward(arg_index);
    forward.open_finish();
    backward.open_finish();

    // Nothing may reach a device before its program has started.
    const uint32_t started = get_semaphore(core.started_semaphore);
    forward.tell(get_noc_addr(started));
    backward.tell(get_noc_addr(started));
    noc_semaphore_wait_min(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(started), num_peers);

    for (uint32_t peer = 0; peer < num_peers; ++peer) {
        const PeerRoute::Each route{kFirstPeer + PeerRoute::kCount * peer};
        Outlet& outlet = route.is_backward() != 0 ? backward : forward;
        outlet.aim(route.hops());
        send_slice(share, route.slice(), core.packet_tiles, outlet, arrived_place, arrived);
    }
    // Sums come last: sending does not depend on arriving data.
    store_sums(share, output);
    close(forward, backward);
    noc_async_write_barrier();
}
