// SPDX-License-Identifier: Apache-2.0
// Stores what stays on this device, and passes on what the next one is to have.
//
// Blocks go into slots of the next device's circular buffers. That device grants all slots when it
// has come to the phase, and each one again when it is free; its reader learns of a block from a
// count that is raised behind the block.
#include "plan.hpp"
#include "rows.hpp"

namespace {

using tt::tt_fabric::NocUnicastAtomicIncCommandHeader;
using tt::tt_fabric::NocUnicastAtomicIncFusedCommandHeader;
using tt::tt_fabric::WorkerToFabricEdmSender;

constexpr uint32_t kMostConnections = 4;
constexpr uint32_t kMostCredits = 16;

// The links that this core sends over.
class Links {
public:
    Links(uint32_t count, std::size_t first_arg) : count_(count) {
        for (uint32_t i = 0; i < count_; ++i) {
            connections_[i] =
                WorkerToFabricEdmSender::build_from_args<ProgrammableCoreType::TENSIX>(first_arg);
            connections_[i].open();
        }
    }
    void close() {
        for (uint32_t i = 0; i < count_; ++i) {
            connections_[i].close();
        }
    }
    // `route` as in Phase::to_next.
    WorkerToFabricEdmSender& of(uint32_t route) { return connections_[route & 0xFF]; }

private:
    uint32_t count_;
    WorkerToFabricEdmSender connections_[kMostConnections];
};

void send_header(WorkerToFabricEdmSender& connection,
                 volatile tt_l1_ptr PACKET_HEADER_TYPE* header) {
    connection.send_payload_flush_blocking_from_address(reinterpret_cast<uint32_t>(header),
                                                        sizeof(PACKET_HEADER_TYPE));
}

// `route` as in Phase::to_next.
void set_route(volatile tt_l1_ptr PACKET_HEADER_TYPE* header, uint32_t route, uint32_t device) {
    if (route >> 8 != 0) {
        fabric_set_unicast_route<false>(header, route >> 8);
    } else {
        fabric_set_unicast_route(
            static_cast<volatile tt_l1_ptr tt::tt_fabric::HybridMeshPacketHeader*>(header), device,
            0);
    }
}

// The slots of the next device, which this core fills, and its own, which the device before fills.
// The circular buffers of both lie at the same addresses.
class Slots {
public:
    Slots(const Plan& plan, Links& links, uint32_t arrived_id, uint32_t first_credit_id)
        : plan_(plan),
          links_(links),
          arrived_(get_noc_addr(get_semaphore(arrived_id))),
          first_credit_id_(first_credit_id),
          slots_of_a_grant_((plan.chunk + 1) / 2),
          block_header_(PacketHeaderPool::allocate_header()),
          credit_header_(PacketHeaderPool::allocate_header()) {
        // Both are still at their start: the reader's pointer moves, this kernel's does not.
        if (get_compile_time_arg_val(5) != 0) {
            base_[0] = get_write_ptr(kCbGathered);
        }
        tile_bytes_[1] = get_compile_time_arg_val(4);
        if (tile_bytes_[1] != 0) {
            base_[1] = get_write_ptr(kCbReceived);
        }
    }

    void begin(const Phase& phase) {
        credit_ = phase.credit;
        previous_credit_address_ = get_semaphore(first_credit_id_ + phase.previous_credit);
        to_next_ = phase.to_next;
        to_previous_ = phase.to_previous;
        sums_ = phase.sums ? 1 : 0;
        stride_ = phase.block_tiles * tile_bytes_[sums_];
        num_sent_ = 0;
        slot_ = 0;
        num_freed_ = 0;
        if (to_next_ != kNoRoute) {
            set_route(block_header_, to_next_, phase.next);
        }
        if (to_previous_ != kNoRoute) {
            set_route(credit_header_, to_previous_, phase.previous);
            grant(plan_.num_slots());
        }
    }
    // Waits for all credits, so that none arrives in the next phase or after the program's end.
    void end() {
        if (to_previous_ != kNoRoute && num_freed_ != 0) {
            grant(num_freed_);
        }
        if (to_next_ != kNoRoute) {
            credits_before_[credit_] += num_sent_ + plan_.num_slots();
            wait_for_credits(0);
        }
    }

    void send(uint32_t source, uint32_t bytes) {
        wait_for_credits(num_sent_ + 1);
        const uint32_t slot = base_[sums_] + slot_ * stride_;
        block_header_->to_noc_fused_unicast_write_atomic_inc(
            NocUnicastAtomicIncFusedCommandHeader{get_noc_addr(slot), arrived_, 1}, bytes);
        auto& connection = links_.of(to_next_);
        connection.wait_for_empty_write_slot();
        connection.send_payload_without_header_non_blocking_from_address(source, bytes);
        send_header(connection, block_header_);
        ++num_sent_;
        slot_ = slot_ + 1 == plan_.num_slots() ? 0 : slot_ + 1;
    }
    // The oldest slot here is free again; the device before is told of several together.
    void give_back() {
        if (++num_freed_ == slots_of_a_grant_) {
            grant(num_freed_);
            num_freed_ = 0;
        }
    }
    // Bytes on the link of so many bytes of bfloat16 tiles.
    uint32_t sent_bytes(uint32_t bytes) const {
        return sums_ ? (bytes + kUnitBytes - 1) / kUnitBytes * tile_bytes_[1] : bytes;
    }

private:
    void grant(uint32_t slots) {
        credit_header_->to_noc_unicast_atomic_inc(
            NocUnicastAtomicIncCommandHeader{get_noc_addr(previous_credit_address_), slots});
        auto& connection = links_.of(to_previous_);
        connection.wait_for_empty_write_slot();
        send_header(connection, credit_header_);
    }
    void wait_for_credits(uint32_t count) const {
        const uint32_t address = get_semaphore(first_credit_id_ + credit_);
        noc_semaphore_wait_min(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(address),
                               credits_before_[credit_] + count);
    }

    const Plan& plan_;
    Links& links_;
    uint64_t arrived_;
    uint32_t first_credit_id_;
    uint32_t slots_of_a_grant_;
    volatile tt_l1_ptr PACKET_HEADER_TYPE* block_header_;
    volatile tt_l1_ptr PACKET_HEADER_TYPE* credit_header_;
    uint32_t base_[2] = {0, 0};  // of gathered bytes, of partial sums
    uint32_t tile_bytes_[2] = {kUnitBytes, 0};
    uint32_t to_next_ = kNoRoute;
    uint32_t to_previous_ = kNoRoute;
    uint32_t sums_ = 0;
    uint32_t stride_ = 0;
    uint32_t num_sent_ = 0;   // in this phase
    uint32_t slot_ = 0;       // of the next device, that the next block goes into
    uint32_t num_freed_ = 0;  // since the last grant
    uint32_t credit_ = 0;     // word of the next device
    uint32_t previous_credit_address_ = 0;
    uint32_t credits_before_[kMostCredits] = {};  // of all phases before
};

// Elements take `scale` times the bytes at both ends.
template <typename Accessor>
void store(const Accessor& destination, RowWalk& rows, uint32_t begin, uint32_t bytes,
           uint32_t source, uint32_t scale = 1) {
    rows.for_each(begin, bytes, [&](uint32_t row, uint32_t offset, uint32_t place, uint32_t size) {
        noc_async_write(source + place * scale, destination.get_noc_addr(row, offset * scale),
                        size * scale);
    });
}

// Takes blocks out of circular buffers one behind the other. A block is dropped when the next one
// has left: the flush behind that one's packet is also that of this one's writes to memory.
class Blocks {
public:
    explicit Blocks(Slots& slots) : slots_(slots) {}

    // Waits for the next block of `cb`; another buffer's is dropped first.
    uint32_t wait(uint32_t cb, uint32_t tiles) {
        if (is_held_ && cb_ != cb) {
            drop();
        }
        cb_wait_front(cb, is_held_ ? 2 * tiles : tiles);
        const uint32_t front = get_read_ptr(cb);
        if (!is_held_) {
            return front;
        }
        const auto& interface = get_local_cb_interface(cb);
        const uint32_t next = front + tiles * interface.fifo_page_size;
        return next == interface.fifo_limit ? next - interface.fifo_size : next;
    }
    // Drops the block before, and keeps the one that was waited for.
    void keep(uint32_t cb, uint32_t tiles, bool gives_back) {
        drop_flushed();
        cb_ = cb;
        tiles_ = tiles;
        gives_back_ = gives_back;
        is_held_ = true;
    }
    void drop() {
        noc_async_writes_flushed();
        drop_flushed();
    }

private:
    void drop_flushed() {
        if (is_held_) {
            cb_pop_front(cb_, tiles_);
            is_held_ = false;
            if (gives_back_) {
                slots_.give_back();
            }
        }
    }

    Slots& slots_;
    uint32_t cb_ = 0;
    uint32_t tiles_ = 0;
    bool gives_back_ = false;
    bool is_held_ = false;
};

// The circular buffer that holds what a step sends or stores.
uint32_t result_of(const Phase& phase, const Step& step, bool travels_as_fp32) {
    if (phase.sums) {
        return step.sum_cb(travels_as_fp32);
    }
    return step.receives() ? kCbGathered : kCbOwn;
}

}  // namespace

void kernel_main() {
    RowWalk rows(Rows{get_arg_val<uint32_t>(2), get_arg_val<uint32_t>(3)});
    RowWalk units(kUnits);
    auto* stored =
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(get_arg_val<uint32_t>(4)));
    const uint32_t arrived_id = get_arg_val<uint32_t>(5);
    const uint32_t first_credit_id = get_arg_val<uint32_t>(6);
    const uint32_t num_connections = get_arg_val<uint32_t>(7);
    const Plan plan = plan_from_args(8 + 3 * num_connections);
    constexpr auto output_args = TensorAccessorArgs<0>();
    constexpr auto workspace_args = TensorAccessorArgs<2>();
    const auto output = TensorAccessor(output_args, get_arg_val<uint32_t>(0));
    const auto workspace = TensorAccessor(workspace_args, get_arg_val<uint32_t>(1));
    const uint32_t sum_scale = get_compile_time_arg_val(4) / kUnitBytes;  // 0: there are no sums

    Links links(num_connections, 8);
    Slots slots(plan, links, arrived_id, first_credit_id);
    Blocks blocks(slots);
    uint32_t num_phases = 0;

    plan.for_each_phase([&](const Phase& phase) {
        uint32_t num_received = 0;
        slots.begin(phase);
        plan.for_each_piece(phase, [&](const Step& step, const Piece& piece) {
            const uint32_t cb = result_of(phase, step, sum_scale > 1);
            for (uint32_t done = 0; done < piece.bytes; done += phase.block_bytes()) {
                const uint32_t left = piece.bytes - done;
                const uint32_t bytes = left < phase.block_bytes() ? left : phase.block_bytes();
                const uint32_t source = blocks.wait(cb, phase.block_tiles);
                // A sum that is made says that what it was made from has left its slot.
                if (step.receives() && phase.sums) {
                    slots.give_back();
                }
                if (step.sends()) {
                    slots.send(source, slots.sent_bytes(bytes));
                } else {
                    noc_async_writes_flushed();
                }
                blocks.keep(cb, phase.block_tiles, step.receives() && !phase.sums);
                const uint32_t begin = piece.store_begin + done;
                if (step.stores() && step.destination() == kOutput) {
                    store(output, rows, begin, bytes, source);
                } else if (step.stores()) {
                    store(workspace, units, begin, bytes, source, sum_scale);
                }
                num_received += step.receives() ? 1 : 0;
            }
        });
        blocks.drop();
        for (uint32_t i = phase.sums ? 0 : plan.num_left_over(num_received); i > 0; --i) {
            cb_wait_front(kCbGathered, phase.block_tiles);
            cb_pop_front(kCbGathered, phase.block_tiles);
        }
        noc_async_write_barrier();
        slots.end();
        noc_semaphore_set(stored, ++num_phases);
    });
    links.close();
}
