// SPDX-License-Identifier: Apache-2.0
// Writes at DRAM. After the last port of its route a packet enters the buffer of its bank, at the
// rate of the port. It requests the bank from there, in turn with reads. While the buffer is
// full, packets wait in the routers and hold VCs.
//
// Without the buffer a packet held its route until the bank had served the reads before it, and
// programs that read and write DRAM with all cores were predicted half too slow. The rate of the
// port is a constant of its own: on Wormhole a packet enters a bank at 24 of the link's 31 B/cycle,
// on Blackhole two banks fill one link.
#include <algorithm>

#include "emu/timing/network/dram_banks.hpp"

namespace tessera::timing {

DramBanks::WriteBuffer& DramBanks::buffer_of(const Request& request) noexcept {
    return buffers_[index(request.device, request.place.bank())];
}

// A packet flows in as soon as there is room for its first flits. With room required for the whole
// packet, a buffer that holds three pages of 2 KiB held one of 4 KiB, and FP32 tiles that all cores
// read and write were predicted a third too slow.
bool DramBanks::has_room(const WriteBuffer& buffer) const noexcept {
    return buffer.taken < buffer_size_;
}

bool DramBanks::reserve_room(Transfer& write) {
    WriteBuffer& buffer = buffer_of(write.request);
    if (buffer.first == kNoTransfer && has_room(buffer)) {
        buffer.taken += write.packet_bytes;
        return true;
    }
    write.next_waiting = kNoTransfer;
    (buffer.first == kNoTransfer ? buffer.first : transfers_[buffer.last].next_waiting) = write.id;
    buffer.last = write.id;
    return false;
}

void DramBanks::release_room(WriteBuffer& buffer, std::uint32_t bytes, Millicycles now,
                             EventQueue& queue) {
    buffer.taken -= bytes;
    while (buffer.first != kNoTransfer && has_room(buffer)) {
        Transfer& next = transfers_[buffer.first];
        buffer.first = next.next_waiting;
        buffer.taken += next.packet_bytes;
        next.as<Unicast>().has_room = true;
        next.spend(ResourceKind::Dram, now);
        push_stage(queue, std::max(now, next.noc_packet().reach), next.id);
    }
}

void DramBanks::start_write(Transfer& write, Millicycles begin, EventQueue& queue) {
    ++write.as<Unicast>().bank_packets;
    Transfer& packet = transfers_.take<BankWrite>();
    packet.request = write.request;
    packet.packet_bytes = write.packet_bytes;
    packet.as<BankWrite>().write = write.id;
    packet.stamp = begin;
    schedule(packet, TransferStage::Buffered, begin, queue);
}

Transfer* DramBanks::begin_write(Transfer& packet, Millicycles now, EventQueue& queue) {
    const auto duration =
        start_access(packet, NocPaths::Access::Write, packet.packet_bytes, now, queue);
    if (!duration) {
        return nullptr;
    }
    Transfer& write = transfers_[packet.as<BankWrite>().write];
    release_room(buffer_of(packet.request), packet.packet_bytes, now, queue);
    transfers_.release(packet);
    write.arrival = std::max(write.arrival, now + *duration);
    if (*duration > write.slowest) {
        write.set_slowest(ResourceKind::Dram, *duration);
    }
    auto& unicast = write.as<Unicast>();
    if (--unicast.bank_packets > 0 || !unicast.waits_for_bank) {
        return nullptr;
    }
    write.spend(ResourceKind::NocLink, std::min(now, write.stamp + unicast.delayed));
    unicast.delayed = 0;
    write.spend(ResourceKind::Dram, now);
    return &write;
}

}  // namespace tessera::timing
