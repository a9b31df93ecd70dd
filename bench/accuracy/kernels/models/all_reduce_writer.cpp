// SPDX-License-Identifier: Apache-2.0
// Writes shards to the buffers of the cores that sum them, on this device and on each other device
// of a line or ring. Each packet is sent once and is written on every device that it passes. The
// last packet of a shard increments a word on the core that sums the shard. The core on this device
// is notified when all shards are sent.
// Runtime args:
// - address of this device's part of a buffer, tiles per shard, tiles per packet;
// - semaphore of the word, number of shards, x << 16 | y of each shard's core;
// - for each of two directions: the number of devices reached, and a connection if it is not 0.

namespace {

using tt::tt_fabric::WorkerToFabricEdmSender;

class Outlet {
public:
    explicit Outlet(std::size_t& at)
        : reach_(get_arg_val<uint32_t>(static_cast<int>(at++))),
          header_(PacketHeaderPool::allocate_header()) {
        if (reach_ != 0) {
            connection_ =
                WorkerToFabricEdmSender::build_from_args<ProgrammableCoreType::TENSIX>(at);
            connection_.open_start();
            header_->to_chip_multicast({1, static_cast<uint8_t>(reach_)});
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
    void send(uint32_t source, uint32_t bytes, uint64_t destination, bool is_last, uint64_t word) {
        if (reach_ == 0) {
            return;
        }
        if (is_last) {
            header_->to_noc_fused_unicast_write_atomic_inc(
                tt::tt_fabric::NocUnicastAtomicIncFusedCommandHeader{destination, word, 1, false},
                bytes);
        } else {
            header_->to_noc_unicast_write(tt::tt_fabric::NocUnicastCommandHeader{destination},
                                          bytes);
        }
        connection_.wait_for_empty_write_slot();
        connection_.send_payload_without_header_non_blocking_from_address(source, bytes);
        connection_.send_payload_non_blocking_from_address(reinterpret_cast<uint32_t>(header_),
                                                           sizeof(PACKET_HEADER_TYPE));
    }

private:
    uint32_t reach_;
    volatile tt_l1_ptr PACKET_HEADER_TYPE* header_;
    WorkerToFabricEdmSender connection_;
};

}  // namespace

void kernel_main() {
    constexpr uint32_t cb_tiles = tt::CBIndex::c_0;
    constexpr std::size_t kFirstCore = 5;
    const uint32_t place = get_arg_val<uint32_t>(0);
    const uint32_t tiles = get_arg_val<uint32_t>(1);
    const uint32_t packet_tiles = get_arg_val<uint32_t>(2);
    const uint32_t arrived = get_semaphore(get_arg_val<uint32_t>(3));
    const uint32_t num_shards = get_arg_val<uint32_t>(4);
    std::size_t at = kFirstCore + num_shards;
    Outlet forward(at);
    Outlet backward(at);
    const auto on_core = [](uint32_t shard, uint32_t address) {
        const uint32_t core = get_arg_val<uint32_t>(kFirstCore + shard);
        return get_noc_addr(core >> 16, core & 0xFFFF, address);
    };
    forward.open_finish();
    backward.open_finish();

    const uint32_t tile_bytes = get_tile_size(cb_tiles);
    for (uint32_t shard = 0; shard < num_shards; ++shard) {
        const uint64_t word = on_core(shard, arrived);
        for (uint32_t tile = 0; tile < tiles; tile += packet_tiles) {
            const uint32_t count = tiles - tile < packet_tiles ? tiles - tile : packet_tiles;
            const uint64_t destination = on_core(shard, place + tile * tile_bytes);
            const bool is_last = tile + count == tiles;
            cb_wait_front(cb_tiles, count);
            const uint32_t source = get_read_ptr(cb_tiles);
            noc_async_write(source, destination, count * tile_bytes);
            forward.send(source, count * tile_bytes, destination, is_last, word);
            backward.send(source, count * tile_bytes, destination, is_last, word);
            noc_async_writes_flushed();
            cb_pop_front(cb_tiles, count);
        }
    }
    for (uint32_t shard = 0; shard < num_shards; ++shard) {
        noc_semaphore_inc(on_core(shard, arrived), 1);
    }
    forward.close_start();
    backward.close_start();
    forward.close_finish();
    backward.close_finish();
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
