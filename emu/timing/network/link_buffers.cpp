// SPDX-License-Identifier: Apache-2.0
// Back-pressure between the routers of the fabric: a packet crosses a link when the router at the
// far end has a slot for it, and then frees its slot in the router behind.
#include <array>

#include "emu/timing/network/mesh_links.hpp"
#include "tessera/mesh_links.hpp"

namespace tessera::timing {

// A packet enters an axis from its worker, and the other axis at its corner.
bool MeshLinks::enters_axis(const Transfer& packet) noexcept {
    const std::uint8_t hops = packet.as<MeshPacket>().hops_done;
    return hops == 0 || hops == packet.request.hops;
}

bool MeshLinks::is_in_ring(const Transfer& packet) const noexcept {
    const bool is_row = packet.request.channel % 4 < 2;  // east or west
    return mesh_axis::is_closed(mesh_.topology, is_row ? mesh_.shape.rows : mesh_.shape.columns);
}

// Packets that enter a ring leave one slot free there: if all its routers were full, none could
// forward anything (bubble flow control, which tt-metal uses in rings and tori).
std::uint32_t MeshLinks::slots_needed(const Transfer& packet) const noexcept {
    return enters_axis(packet) && is_in_ring(packet) ? 2 : 1;
}

bool MeshLinks::reserve_slot(Transfer& packet) {
    auto& mesh = packet.as<MeshPacket>();
    const std::uint32_t link =
        mesh.device * ResourceTable::kSendersPerDevice + packet.request.channel;
    Buffer& buffer = buffers_[link];
    mesh.next_slot = link;
    TransferFifo& waiting = enters_axis(packet) ? buffer.entering : buffer.passing;
    if (!waiting.is_empty() || buffer.free < slots_needed(packet)) {
        waiting.append(packet, transfers_);
        return false;
    }
    --buffer.free;
    return true;
}

// Serves the packet that has waited longest among those for which there is room.
TransferFifo* MeshLinks::next_for_slot(Buffer& buffer) const noexcept {
    TransferFifo* next = nullptr;
    for (TransferFifo* const fifo : std::array{&buffer.passing, &buffer.entering}) {
        const bool has_room =
            !fifo->is_empty() && buffer.free >= slots_needed(transfers_[fifo->first]);
        if (has_room &&
            (next == nullptr || transfers_[fifo->first].stamp < transfers_[next->first].stamp)) {
            next = fifo;
        }
    }
    return next;
}

void MeshLinks::free_slot(Transfer& packet, Millicycles now, EventQueue& queue) {
    auto& mesh = packet.as<MeshPacket>();
    if (mesh.slot == MeshPacket::kNoSlot) {
        return;
    }
    Buffer& buffer = buffers_[mesh.slot];
    mesh.slot = MeshPacket::kNoSlot;
    ++buffer.free;
    if (TransferFifo* const waiting = next_for_slot(buffer)) {
        Transfer& next = waiting->remove_first(transfers_);
        --buffer.free;
        next.spend(ResourceKind::MeshLink, now);
        schedule(next, TransferStage::LinkSend, now, queue);
    }
}

}  // namespace tessera::timing
