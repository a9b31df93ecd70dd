// SPDX-License-Identifier: Apache-2.0
// Writes halves of tiles into tiles of other devices: up to four halves per packet, one device
// after the other. The last half for a device increments a word there. All devices start before the
// first packet is sent. Runtime args: the members of Setup, a connection; for each device its
// distance in hops (0: this device) and the range of its tiles, [first, end).

namespace {

using namespace tt::tt_fabric;

constexpr uint32_t cb_packets = tt::CBIndex::c_0;
constexpr uint32_t kHalves = 4;

struct Setup {
    uint32_t output;     // address of the tensor
    uint32_t half;       // bytes
    uint32_t at_half;    // bytes from the start of a tile to the destination of halves
    uint32_t row_tiles;  // tiles in a row of the tensor
    uint32_t rows;       // tile rows per index of the split extent
    uint32_t first_row;  // row of this device's halves
    uint32_t started;    // semaphores
    uint32_t ended;
    uint32_t drain;       // x << 16 | y of the core that waits for each other device
    uint32_t reach;       // devices to notify that this one has started; 0: none
    uint32_t num_others;  // devices
    uint32_t is_drain;
    uint32_t box_begin;  // first corner of the sending cores
    uint32_t box_end;
    uint32_t box_cores;
    uint32_t expected;  // counts that end the launch
    uint32_t num_targets;
};
constexpr uint32_t kSetupArgs = sizeof(Setup) / sizeof(uint32_t);

Setup setup_from_args() {
    Setup setup;
    auto* words = reinterpret_cast<uint32_t*>(&setup);
    for (uint32_t i = 0; i < kSetupArgs; ++i) {
        words[i] = get_arg_val<uint32_t>(static_cast<int>(i));
    }
    return setup;
}

class Sender {
public:
    Sender(const Setup& setup, std::size_t& at)
        : connection_(WorkerToFabricEdmSender::build_from_args<ProgrammableCoreType::TENSIX>(at)),
          header_(PacketHeaderPool::allocate_header()),
          half_(setup.half),
          ended_(
              get_noc_addr(setup.drain >> 16, setup.drain & 0xFFFF, get_semaphore(setup.ended))) {
        connection_.open_start();
    }
    void open_finish() { connection_.open_finish(); }
    void close() { connection_.close(); }

    void tell(uint32_t reach, uint64_t word) {
        header_->to_noc_unicast_atomic_inc(NocUnicastAtomicIncCommandHeader{word, 1});
        connection_.wait_for_empty_write_slot();
        header_->to_chip_multicast({1, static_cast<uint8_t>(reach)});
        connection_.send_payload_flush_blocking_from_address(reinterpret_cast<uint32_t>(header_),
                                                             sizeof(PACKET_HEADER_TYPE));
    }
    void aim(uint32_t hops) { header_->to_chip_unicast(static_cast<uint8_t>(hops)); }

    // Splits the last packet for a device in two: the increment travels with its last half.
    void send(uint32_t source, const uint64_t* places, uint32_t count, bool is_last) {
        const uint32_t alone = is_last ? 1 : 0;
        if (count > alone) {
            send_halves(source, places, count - alone);
            noc_async_writes_flushed();
        }
        if (is_last) {
            header_->to_noc_fused_unicast_write_atomic_inc(
                NocUnicastAtomicIncFusedCommandHeader{places[count - 1], ended_, 1, false}, half_);
            send_packet(source + (count - 1) * half_, half_);
            noc_async_writes_flushed();
        }
    }
    void write_here(uint32_t source, const uint64_t* places, uint32_t count, bool is_last) {
        if (is_last) {
            noc_semaphore_inc(ended_, 1);
        }
        for (uint32_t i = 0; i < count; ++i) {
            noc_async_write(source + i * half_, places[i], half_);
        }
        noc_async_write_barrier();
    }

private:
    void send_halves(uint32_t source, const uint64_t* places, uint32_t count) {
        const auto size = static_cast<uint16_t>(half_);
        const uint16_t sizes[]{size, size, size};
        if (count == 1) {
            header_->to_noc_unicast_write(NocUnicastCommandHeader{places[0]}, half_);
        } else {
            header_->to_noc_unicast_scatter_write(
                NocUnicastScatterCommandHeader(places, sizes, static_cast<uint8_t>(count)),
                count * half_);
        }
        send_packet(source, count * half_);
    }
    void send_packet(uint32_t source, uint32_t bytes) {
        connection_.wait_for_empty_write_slot();
        connection_.send_payload_without_header_non_blocking_from_address(source, bytes);
        connection_.send_payload_non_blocking_from_address(reinterpret_cast<uint32_t>(header_),
                                                           sizeof(PACKET_HEADER_TYPE));
    }

    WorkerToFabricEdmSender connection_;
    volatile tt_l1_ptr PACKET_HEADER_TYPE* header_;
    uint32_t half_;
    uint64_t ended_;
};

// One core waits for the start of each other device and notifies the cores of this one.
void start_together(const Setup& setup, Sender& sender) {
    const uint32_t started = get_semaphore(setup.started);
    auto* word = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(started);
    if (setup.reach != 0) {
        sender.tell(setup.reach, get_noc_addr(setup.drain >> 16, setup.drain & 0xFFFF, started));
    }
    if (setup.is_drain != 0) {
        noc_semaphore_wait(word, setup.num_others);
        noc_semaphore_set_multicast_loopback_src(
            started,
            get_noc_multicast_addr(setup.box_begin >> 16, setup.box_begin & 0xFFFF,
                                   setup.box_end >> 16, setup.box_end & 0xFFFF, started),
            setup.box_cores);
        noc_async_write_barrier();
    }
    noc_semaphore_wait(word, setup.num_others);
}

}  // namespace

void kernel_main() {
    const Setup setup = setup_from_args();
    constexpr auto args = TensorAccessorArgs<0>();
    const auto output = TensorAccessor(args, setup.output);
    std::size_t at = kSetupArgs;
    Sender sender(setup, at);
    sender.open_finish();
    start_together(setup, sender);

    for (uint32_t target = 0; target < setup.num_targets; ++target, at += 3) {
        const uint32_t hops = get_arg_val<uint32_t>(at);
        const uint32_t end = get_arg_val<uint32_t>(at + 2);
        if (hops != 0) {
            sender.aim(hops);
        }
        for (uint32_t tile = get_arg_val<uint32_t>(at + 1); tile < end;) {
            uint64_t places[kHalves];
            uint32_t count = 0;
            for (; count < kHalves && tile < end; ++count, ++tile) {
                const uint32_t row = tile / setup.row_tiles * setup.rows + setup.first_row;
                places[count] = output.get_noc_addr(row * setup.row_tiles + tile % setup.row_tiles,
                                                    setup.at_half);
            }
            cb_wait_front(cb_packets, 1);
            const uint32_t source = get_read_ptr(cb_packets);
            if (hops == 0) {
                sender.write_here(source, places, count, tile == end);
            } else {
                sender.send(source, places, count, tile == end);
            }
            cb_pop_front(cb_packets, 1);
        }
    }
    noc_async_atomic_barrier();
    noc_async_write_barrier();
    sender.close();
    if (setup.is_drain != 0) {
        noc_semaphore_wait(
            reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(setup.ended)),
            setup.expected);
    }
}
