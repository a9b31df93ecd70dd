// SPDX-License-Identifier: Apache-2.0
// Writes at DRAM: behind the last port of its route a packet flows into the buffer of its bank, at
// the pace of the port, and asks for the bank from there, in turn with reads. While the buffer is
// full, packets wait in the routers and hold channels.
//
// Without the buffer a packet held its route until reads had had their turn, and programs that read
// and write DRAM with all cores were a half too slow. The pace of the port is a fact of its own: on
// Wormhole a link idles while a packet goes into a bank at 24 of its 31 B/cycle, on Blackhole two
// banks fill one link.
#include <algorithm>

#include "emu/timing/network/transport_state.hpp"

namespace tessera::timing {

WriteBuffer& Transport::State::write_buffer_of(const Request& request) noexcept {
    return write_buffers[std::size_t{request.device} * arch.dram.num_banks + request.place.bank()];
}

// A packet flows in as soon as there is room for its first flits. Asked to have room for all of a
// packet, a buffer that holds three pages of 2 KiB held one of 4, and FP32 tiles that are read and
// written by all cores were a third too slow.
bool Transport::State::has_room(const WriteBuffer& buffer) const noexcept {
    return buffer.taken < write_buffer;
}

bool Transport::State::take_room(std::uint32_t number) {
    Transfer& packet = transfers[number];
    WriteBuffer& buffer = write_buffer_of(packet.request);
    if (buffer.first == kNone && has_room(buffer)) {
        buffer.taken += packet.packet;
        return true;
    }
    packet.next_waiting = kNone;
    (buffer.first == kNone ? buffer.first : transfers[buffer.last].next_waiting) = number;
    buffer.last = number;
    return false;
}

void Transport::State::leave_room(const Request& request, std::uint32_t bytes, Millicycles now,
                                  EventQueue& queue) {
    WriteBuffer& buffer = write_buffer_of(request);
    buffer.taken -= bytes;
    while (buffer.first != kNone && has_room(buffer)) {
        const std::uint32_t number = buffer.first;
        Transfer& next = transfers[number];
        buffer.first = next.next_waiting;
        buffer.taken += next.packet;
        next.has_room = true;
        next.spend(ResourceKind::Dram, now);
        queue.push(std::max(now, next.reach), QueueEvent::TransferStage, number);
    }
}

// The packet in the buffer is a transfer of its own: the write goes on to leave its source
// meanwhile.
void Transport::State::write_to_bank(std::uint32_t number, Millicycles begin, EventQueue& queue) {
    const std::uint32_t copy = transfers.take();
    Transfer& write = transfers[number];
    ++write.parts;
    transfers[copy].request = write.request;
    transfers[copy].packet = write.packet;
    transfers[copy].parent = number;
    transfers[copy].stamp = begin;
    schedule(copy, TransferStage::Buffered, begin, queue);
}

void Transport::State::buffered(std::uint32_t number, Millicycles now, EventQueue& queue) {
    const Request request = transfers[number].request;
    const std::uint32_t bytes = transfers[number].packet;
    const auto duration = start_at_bank(number, NocPaths::Access::Write, bytes, now, queue);
    if (!duration) {
        return;
    }
    const std::uint32_t parent = transfers[number].parent;
    transfers.release(number);
    leave_room(request, bytes, now, queue);
    Transfer& write = transfers[parent];
    write.arrival = std::max(write.arrival, now + *duration);
    if (*duration > write.slowest) {
        note_slowest(write, ResourceKind::Dram, *duration);
    }
    if (--write.parts == 0 && write.waits_for_bank) {
        write.spend(ResourceKind::NocLink, std::min(now, write.stamp + write.delayed));
        write.delayed = 0;
        write.spend(ResourceKind::Dram, now);
        schedule_delivery(parent, now, queue);
    }
}

}  // namespace tessera::timing
