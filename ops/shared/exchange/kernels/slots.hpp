// SPDX-License-Identifier: Apache-2.0
// Links of a core and the slots that it fills over them: circular buffers of the next device. That
// device grants slots by increments of a credit word.
#pragma once

#include "plan.hpp"

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
            // All links are opened at the start: later the other end may already wait for this
            // device.
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
    // Straight routes count hops. Bent ones name the device and are looked up in the routing table.
    if (route >> 8 != 0) {
        fabric_set_unicast_route<false>(header, route >> 8);
    } else {
        fabric_set_unicast_route(
            static_cast<volatile tt_l1_ptr tt::tt_fabric::HybridMeshPacketHeader*>(header), device,
            0);
    }
}

// The slots of the next device, which this core fills, and its own, which the previous device
// fills. The circular buffers of both have the same addresses.
class Slots {
public:
    // `credits_before` has kMostCredits words of 0. It is a separate array, because indexed data is
    // in memory.
    Slots(const WriterArgs& args, const Plan& plan, Links& links, uint32_t arrived_id,
          uint32_t first_credit_id, uint32_t* credits_before)
        : plan_(plan),
          links_(links),
          credits_before_(credits_before),
          arrived_(get_noc_addr(get_semaphore(arrived_id))),
          first_credit_id_(first_credit_id),
          slots_of_a_grant_(plan.slots_of_a_grant()),
          block_header_(PacketHeaderPool::allocate_header()),
          credit_header_(PacketHeaderPool::allocate_header()),
          sum_tile_bytes_(args.sum_tile_bytes) {
        // Both are still at their start: the reader's pointer moves, this kernel's does not.
        if (args.gathers != 0) {
            gather_base_ = get_write_ptr(kCbGathered);
        }
        if (sum_tile_bytes_ != 0) {
            sum_base_ = get_write_ptr(kCbReceived);
        }
    }

    void begin(const Phase& phase) {
        credit_ = phase.credit;
        credit_word_ = word(phase.credit);
        needed_ = credits_before_[credit_];
        previous_credit_ = get_noc_addr(get_semaphore(first_credit_id_ + phase.previous_credit));
        to_next_ = phase.to_next;
        to_previous_ = phase.to_previous;
        tile_bytes_ = phase.sums ? sum_tile_bytes_ : kUnitBytes;
        stride_ = phase.block_tiles * tile_bytes_;
        base_ = phase.sums ? sum_base_ : gather_base_;
        // Slots are addresses of the next device, which are those of this device's own buffer.
        end_ = base_ + plan_.num_slots() * stride_;
        slot_ = base_;
        num_freed_ = 0;
        if (to_next_ != kNoRoute) {
            next_ = &links_.of(to_next_);
            set_route(block_header_, to_next_, phase.next);
        }
        if (to_previous_ != kNoRoute) {
            set_route(credit_header_, to_previous_, phase.previous);
            // All slots at once: the buffer is empty and at its start.
            grant(plan_.num_slots());
        }
    }
    // Waits for all credits, so that none arrives in the next phase or after the program's end.
    void end() {
        // Slots that were freed since the last grant are part of the count that the sender waits
        // for.
        if (to_previous_ != kNoRoute && num_freed_ != 0) {
            grant(num_freed_);
        }
        if (to_next_ != kNoRoute) {
            needed_ += plan_.num_slots();
            noc_semaphore_wait_min(credit_word_, needed_);
            credits_before_[credit_] = needed_;
        }
    }

    void send(uint32_t source, uint32_t bytes) {
        // The count of the credit word only rises, so no reset can race with a grant.
        noc_semaphore_wait_min(credit_word_, ++needed_);
        // Not flushed: on one NoC, to one core's L1, the increment arrives after the block.
        block_header_->to_noc_fused_unicast_write_atomic_inc(
            NocUnicastAtomicIncFusedCommandHeader{get_noc_addr(slot_), arrived_, 1, false}, bytes);
        next_->wait_for_empty_write_slot();
        next_->send_payload_without_header_non_blocking_from_address(source, bytes);
        send_header(*next_, block_header_);
        slot_ += stride_;
        if (slot_ == end_) {
            slot_ = base_;
        }
    }
    // Frees the oldest slot here. Grants of several slots cost the link less than one packet a
    // block.
    void give_back() {
        if (++num_freed_ == slots_of_a_grant_) {
            grant(num_freed_);
            num_freed_ = 0;
        }
    }
    // Bytes on the link of a block with so many bytes of bfloat16 tiles.
    uint32_t sent_bytes(uint32_t bytes) const {
        return tile_bytes_ == kUnitBytes ? bytes : div_up(bytes, kUnitBytes) * tile_bytes_;
    }

private:
    volatile tt_l1_ptr uint32_t* word(uint32_t credit) const {
        return reinterpret_cast<volatile tt_l1_ptr uint32_t*>(
            get_semaphore(first_credit_id_ + credit));
    }
    void grant(uint32_t slots) {
        credit_header_->to_noc_unicast_atomic_inc(
            NocUnicastAtomicIncCommandHeader{previous_credit_, slots, false});
        auto& connection = links_.of(to_previous_);
        connection.wait_for_empty_write_slot();
        send_header(connection, credit_header_);
    }

    const Plan& plan_;
    Links& links_;
    uint32_t* credits_before_;  // credits of all previous phases, by word
    uint64_t arrived_;
    uint32_t first_credit_id_;
    uint32_t slots_of_a_grant_;
    volatile tt_l1_ptr PACKET_HEADER_TYPE* block_header_;
    volatile tt_l1_ptr PACKET_HEADER_TYPE* credit_header_;
    uint32_t gather_base_ = 0;
    uint32_t sum_base_ = 0;
    uint32_t sum_tile_bytes_;
    // The members below belong to the phase.
    WorkerToFabricEdmSender* next_ = nullptr;
    uint32_t to_next_ = kNoRoute;
    uint32_t to_previous_ = kNoRoute;
    uint32_t tile_bytes_ = kUnitBytes;
    uint32_t stride_ = 0;
    uint32_t base_ = 0;  // address of the next device's slots
    uint32_t end_ = 0;
    uint32_t slot_ = 0;  // slot of the next block
    uint32_t credit_ = 0;
    volatile tt_l1_ptr uint32_t* credit_word_ = nullptr;
    uint32_t needed_ = 0;  // count of that word with which the last block could leave
    uint64_t previous_credit_ = 0;
    uint32_t num_freed_ = 0;  // since the last grant
};

}  // namespace
