// SPDX-License-Identifier: Apache-2.0
// Back-pressure between the routers of the fabric: a packet crosses a link when the router at its
// far end has a slot for it, and frees the slot that it leaves behind.
#include <array>

#include "emu/timing/network/transport_state.hpp"
#include "tessera/mesh_links.hpp"

namespace tessera::timing {

// From its worker, or from the other axis at its corner.
bool Transport::State::enters_axis(const Transfer& packet) const noexcept {
    return packet.hops_done == 0 || packet.hops_done == packet.request.hops;
}

bool Transport::State::is_in_ring(const Transfer& packet) const noexcept {
    const bool is_row = packet.request.channel % 4 < 2;  // east or west
    return mesh_axis::is_closed(mesh.topology, is_row ? mesh.shape.rows : mesh.shape.columns);
}

// Packets that enter a ring leave a slot free there: if all its routers were full, none could pass
// anything on (bubble flow control; tt-metal has it in rings and tori).
std::uint32_t Transport::State::slots_needed(const Transfer& packet) const noexcept {
    return enters_axis(packet) && is_in_ring(packet) ? 2 : 1;
}

bool Transport::State::take_slot(std::uint32_t number) {
    Transfer& packet = transfers[number];
    const auto link = static_cast<std::uint32_t>(
        packet.device * kLinkDirections.size() * kLinksPerDirection + packet.request.channel);
    LinkBuffer& buffer = link_buffers[link];
    packet.next_slot = link;
    TransferFifo& waiting = enters_axis(packet) ? buffer.entering : buffer.passing;
    if (waiting.first != kNone || buffer.free < slots_needed(packet)) {
        append(waiting, number);
        return false;
    }
    --buffer.free;
    return true;
}

// The one that has waited longest of those for which there is room.
TransferFifo* Transport::State::next_for_slot(LinkBuffer& buffer) const noexcept {
    TransferFifo* next = nullptr;
    for (TransferFifo* const fifo : std::array{&buffer.passing, &buffer.entering}) {
        const bool has_room =
            fifo->first != kNone && buffer.free >= slots_needed(transfers[fifo->first]);
        if (has_room &&
            (next == nullptr || transfers[fifo->first].stamp < transfers[next->first].stamp)) {
            next = fifo;
        }
    }
    return next;
}

void Transport::State::free_slot(Transfer& packet, Millicycles now, EventQueue& queue) {
    if (packet.slot == kNone) {
        return;
    }
    LinkBuffer& buffer = link_buffers[packet.slot];
    packet.slot = kNone;
    ++buffer.free;
    if (TransferFifo* const waiting = next_for_slot(buffer)) {
        const std::uint32_t number = remove_first(*waiting);
        --buffer.free;
        transfers[number].spend(ResourceKind::MeshLink, now);
        schedule(number, TransferStage::LinkSend, now, queue);
    }
}

}  // namespace tessera::timing
