// SPDX-License-Identifier: Apache-2.0
// Passes partial sums, then full ones, to the next device of the ring, and stores the full ones.
//
// Tiles go into slots of the next device's circular buffer. A slot is used again when the next
// device has given it back by a credit to this core; its reader learns of a tile from a second
// count, raised after the tile.
#include "ring_slice.hpp"
#include "row_pieces.hpp"

namespace {

using tt::tt_fabric::NocUnicastAtomicIncCommandHeader;
using tt::tt_fabric::NocUnicastAtomicIncFusedCommandHeader;
using tt::tt_fabric::WorkerToFabricEdmSender;

// A neighbour in the ring: the connection that leads there and the route after it.
struct Neighbour {
    WorkerToFabricEdmSender& connection;
    uint16_t num_hops;

    void send_header(volatile tt_l1_ptr PACKET_HEADER_TYPE* header) const {
        connection.send_payload_flush_blocking_from_address(reinterpret_cast<uint32_t>(header),
                                                            sizeof(PACKET_HEADER_TYPE));
    }
};

// One of the two circular buffers that the link fills, seen from the sending core, whose own
// circular buffer has the same address.
class Slots {
public:
    Slots(uint32_t cb, uint32_t arrived_id, uint32_t credit_id, const Neighbour& next,
          const Neighbour& previous, uint32_t num_slots)
        : next_(next),
          previous_(previous),
          base_(get_write_ptr(cb)),
          tile_bytes_(get_tile_size(cb)),
          num_slots_(num_slots),
          arrived_(get_noc_addr(get_semaphore(arrived_id))),
          credit_address_(get_semaphore(credit_id)),
          tile_header_(PacketHeaderPool::allocate_header()),
          credit_header_(PacketHeaderPool::allocate_header()) {
        fabric_set_unicast_route<false>(tile_header_, next.num_hops);
        fabric_set_unicast_route<false>(credit_header_, previous.num_hops);
        // The header of credits never changes and is filled once.
        credit_header_->to_noc_unicast_atomic_inc(
            NocUnicastAtomicIncCommandHeader{get_noc_addr(credit_address_), 1, false});
    }

    // Sends the tile at `source` to the next device.
    void send(uint32_t source) {
        // The first slots are free without a credit.
        if (num_sent_ >= num_slots_) {
            wait_for_credits(num_sent_ - num_slots_ + 1);
        }
        const uint32_t slot = base_ + num_sent_ % num_slots_ * tile_bytes_;
        // Not flushed: to one core's L1 over one NoC the count arrives after the tile.
        tile_header_->to_noc_fused_unicast_write_atomic_inc(
            NocUnicastAtomicIncFusedCommandHeader{get_noc_addr(slot), arrived_, 1, false},
            tile_bytes_);
        // The header goes last: a router starts on a packet when its header is there.
        next_.connection.wait_for_empty_write_slot();
        next_.connection.send_payload_without_header_non_blocking_from_address(source, tile_bytes_);
        next_.send_header(tile_header_);
        ++num_sent_;
    }

    // Tells the device before that the oldest slot here is free.
    void give_back() {
        previous_.connection.wait_for_empty_write_slot();
        previous_.send_header(credit_header_);
    }

    // Waits until all slots are given back, so that no credit arrives after the program's end.
    void wait_for_credits() { wait_for_credits(num_sent_); }

private:
    void wait_for_credits(uint32_t count) const {
        noc_semaphore_wait_min(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(credit_address_),
                               count);
    }

    const Neighbour& next_;
    const Neighbour& previous_;
    uint32_t base_;
    uint32_t tile_bytes_;
    uint32_t num_slots_;
    uint64_t arrived_;
    uint32_t credit_address_;
    volatile tt_l1_ptr PACKET_HEADER_TYPE* tile_header_;
    volatile tt_l1_ptr PACKET_HEADER_TYPE* credit_header_;
    uint32_t num_sent_ = 0;
};

template <typename Accessor>
void store_tile(const Accessor& output, const RowPieces& pieces, uint32_t tile, uint32_t source) {
    pieces.for_each(tile, [&](uint32_t row, uint32_t offset, uint32_t place, uint32_t bytes) {
        noc_async_write(source + place, output.get_noc_addr(row, offset), bytes);
    });
}

// Runs steps 0 … num_devices − 2 of the reduce-scatter. A partial sum in the buffer says that the
// tile it was made from has left its slot.
void scatter_sums(const RingSlice& slice, uint32_t round, Slots& sums) {
    for (uint32_t step = 0; step + 1 < slice.num_devices; ++step) {
        const TileRange chunk = slice.to_reduce(round, step);
        for (uint32_t tile = chunk.begin; tile < chunk.end; ++tile) {
            cb_wait_front(kCbPartial, 1);
            if (step > 0) {
                sums.give_back();
            }
            sums.send(get_read_ptr(kCbPartial));
            cb_pop_front(kCbPartial, 1);
        }
    }
}

// Stores the chunk whose sum is full here and sends it round the ring.
template <typename Accessor>
void share_own_chunk(const RingSlice& slice, uint32_t round, Slots& sums, Slots& gathered,
                     const Accessor& output, const RowPieces& pieces) {
    const TileRange chunk = slice.to_gather(round, 0);
    for (uint32_t tile = chunk.begin; tile < chunk.end; ++tile) {
        cb_wait_front(kCbReduced, 1);
        sums.give_back();
        store_tile(output, pieces, tile, get_read_ptr(kCbReduced));
        gathered.send(get_read_ptr(kCbReduced));
        // Stored and sent at once: both only read the buffer.
        noc_async_writes_flushed();
        cb_pop_front(kCbReduced, 1);
    }
}

// Stores the other chunks and passes them on until each device has them.
template <typename Accessor>
void pass_on_chunks(const RingSlice& slice, uint32_t round, Slots& gathered, const Accessor& output,
                    const RowPieces& pieces) {
    for (uint32_t step = 1; step < slice.num_devices; ++step) {
        const TileRange chunk = slice.to_gather(round, step);
        for (uint32_t tile = chunk.begin; tile < chunk.end; ++tile) {
            cb_wait_front(kCbGathered, 1);
            store_tile(output, pieces, tile, get_read_ptr(kCbGathered));
            if (step + 1 < slice.num_devices) {
                gathered.send(get_read_ptr(kCbGathered));
            }
            // The store and the packet have left L1; then the slot may be filled again.
            noc_async_writes_flushed();
            cb_pop_front(kCbGathered, 1);
            gathered.give_back();
        }
    }
}

template <typename Accessor>
void run_rounds(const RingSlice& slice, Slots& sums, Slots& gathered, const Accessor& output,
                const RowPieces& pieces) {
    for (uint32_t round = 0; round < slice.num_rounds(); ++round) {
        scatter_sums(slice, round, sums);
        share_own_chunk(slice, round, sums, gathered, output, pieces);
        pass_on_chunks(slice, round, gathered, output, pieces);
    }
}

}  // namespace

void kernel_main() {
    const uint32_t output_address = WriterTensors::output_address();
    constexpr uint32_t kFirstOfSlice = WriterTensors::Addresses::kCount;
    constexpr uint32_t kFirstOfRows = kFirstOfSlice + SliceArgs::kCount;
    const RingSlice slice = ring_slice_from_args(kFirstOfSlice);
    const RowPieces pieces = row_pieces_from_args(kFirstOfRows, get_tile_size(kCbReduced));
    constexpr uint32_t kFirstOfCore = kFirstOfRows + RowArgs::kCount;
    const auto core = WriterCore::read(kFirstOfCore);
    const bool has_connection_back = core.has_connection_back != 0;
    std::size_t arg_index = kFirstOfCore + WriterCore::kCount;  // of the connections

    const auto output = TensorAccessor(WriterTensors::output(), output_address);

    auto forward =
        WorkerToFabricEdmSender::build_from_args<ProgrammableCoreType::TENSIX>(arg_index);
    forward.open();
    WorkerToFabricEdmSender backward;
    if (has_connection_back) {
        backward =
            WorkerToFabricEdmSender::build_from_args<ProgrammableCoreType::TENSIX>(arg_index);
        backward.open();
    }
    const Neighbour next{forward, static_cast<uint16_t>(core.next_hops)};
    const Neighbour previous{has_connection_back ? backward : forward,
                             static_cast<uint16_t>(core.previous_hops)};
    Slots sums(kCbReceived, core.sum_arrived_semaphore, core.sum_credit_semaphore, next, previous,
               core.num_slots);
    Slots gathered(kCbGathered, core.gathered_arrived_semaphore, core.gathered_credit_semaphore,
                   next, previous, core.num_slots);

    run_rounds(slice, sums, gathered, output, pieces);
    // The stores must have arrived before the launch ends.
    noc_async_write_barrier();
    sums.wait_for_credits();
    gathered.wait_for_credits();
    forward.close();
    if (has_connection_back) {
        backward.close();
    }
}
