// SPDX-License-Identifier: Apache-2.0
// Mesh links: a router at each end of each link stores packets and forwards them. A packet crosses
// a link when the router at the far end has a slot for it.
#pragma once

#include <cstdint>
#include <vector>

#include "emu/timing/cost/times.hpp"
#include "emu/timing/event_queue.hpp"
#include "emu/timing/network/noc_paths.hpp"
#include "emu/timing/network/pace.hpp"
#include "emu/timing/network/resource_queues.hpp"
#include "emu/timing/network/resource_table.hpp"
#include "emu/timing/network/transfer.hpp"

namespace tessera::timing {

/// Times of a packet on a mesh link: on the wire by Ethernet frames, and at the routers of both ends.
/// A router handles one packet at a time, in either direction.
struct LinkCost : LinkTimes {
    explicit LinkCost(const TimingSpec& timing) : LinkTimes(timing), wire_(Cycles{0}, rate) {}

    /// Returns the time of header and payload, cut into frames.
    /// Source   tt-metal, tech_reports/CCLs/CCL_bandwidth.md: P / (P + H + 50 · ⌈(P + H) / 1500⌉).
    [[nodiscard]] Millicycles wire(std::uint64_t payload) const noexcept {
        const std::uint64_t bytes = payload + packet_overhead;
        const std::uint64_t frames = (bytes + frame - 1) / frame;
        return wire_.of(bytes + frames * frame_overhead);
    }
    /// Returns whether the router has a second processor, which only sends.
    [[nodiscard]] bool sends_beside() const noexcept { return router_processors > 1; }

private:
    Pace wire_;
};

/// Mesh links of all devices, their routers, and the packets between them.
class MeshLinks {
public:
    MeshLinks(const Machine& machine, DeviceRange devices, ResourceTable& resources,
              const NocPaths& paths, ResourceQueues& queues, TransferPool& transfers);

    // Stages of a packet (mesh_packets.cpp)
    /// Sends a packet over its next link, once a slot, the wire and the router are free.
    void send(Transfer& packet, Millicycles now, EventQueue& queue);
    /// Reports that the first link has taken a packet from its sender's buffer.
    StageResult take_from_sender(Transfer& packet, Millicycles now, EventQueue& queue);
    /// Handles a packet at the router of a link's far end.
    void receive(Transfer& packet, Millicycles now, EventQueue& queue);
    /// Forwards a packet that is in place on a device on its way.
    StageResult forward(Transfer& packet, Millicycles now, EventQueue& queue);
    /// Ends a packet or branch that is in place on its last device. A packet with branches is
    /// released with the last of them, because they report its number.
    StageResult finish(Transfer& packet, Millicycles now, EventQueue& queue);

    // Slots of routers (link_buffers.cpp)
    /// Releases the slot that a packet occupies, if any, to a packet that waits for one.
    void free_slot(Transfer& packet, Millicycles now, EventQueue& queue);

private:
    /// Slots of the router at the far end of a link, and the packets that wait for one: those that
    /// enter the row or column there, and those that pass along it.
    struct Buffer {
        std::uint32_t free = 0;
        TransferFifo entering;
        TransferFifo passing;
    };

    /// Reserves a slot for a packet that is to cross its link. Returns false if the packet waits.
    [[nodiscard]] bool reserve_slot(Transfer& packet);
    [[nodiscard]] bool is_in_ring(const Transfer& packet) const noexcept;
    [[nodiscard]] static bool enters_axis(const Transfer& packet) noexcept;
    [[nodiscard]] std::uint32_t slots_needed(const Transfer& packet) const noexcept;
    /// Returns the queue whose first packet gets a free slot; nullptr if none can use it.
    [[nodiscard]] TransferFifo* next_for_slot(Buffer& buffer) const noexcept;

    /// Moves a packet to the device at the far end of its link.
    void arrive(Transfer& packet) const;
    /// Returns the path of a packet through the router at its device, and on to a core or bank if
    /// the router writes it. Valid up to the next call.
    [[nodiscard]] const PacketPath& router_path(const Transfer& packet, bool is_written,
                                                Millicycles handling, Millicycles transit);
    /// Turns a packet into its second dimension, over the link of the same number there.
    void turn(Transfer& packet) const;
    /// Books the wire for the acknowledgement of a packet that a router has handled.
    void acknowledge(const Transfer& packet, Millicycles handled);
    /// Treatment of a packet at a router.
    struct Arrival {
        bool is_last = false;     ///< the device is the packet's last
        bool is_written = false;  ///< the router writes the packet to a core of the device
    };
    /// Returns the time that the router at a packet's device needs for it. `transit` is the time of
    /// its bytes between router and core.
    [[nodiscard]] Millicycles handling_time(const Transfer& packet, Arrival arrival,
                                            Millicycles transit) const;
    [[nodiscard]] bool takes_mesh_routes(const Request& request) const noexcept;
    [[nodiscard]] StageResult passed(const Transfer& packet) const;
    /// Starts the packets along the row of a box's packet, which is in place on a device of its
    /// column.
    void branch(Transfer& column, Millicycles now, EventQueue& queue);

    std::uint32_t first_device_;  ///< requests and resources count devices from it
    const MeshSpec& mesh_;
    LinkCost cost_;
    ResourceTable& resources_;
    const NocPaths& paths_;
    ResourceQueues& queues_;
    TransferPool& transfers_;
    std::vector<Buffer> buffers_;  ///< by (device, sender)
    PacketPath path_;              ///< memory of send() and router_path(), which clear it first
};

}  // namespace tessera::timing
