// SPDX-License-Identifier: Apache-2.0
// State of a Transport: interfaces of cores, and the stages of transfers on the NoCs. DramBanks and
// MeshLinks have the stages at DRAM and on mesh links.
#pragma once

#include <cstdint>
#include <vector>

#include "emu/timing/network/dram_banks.hpp"
#include "emu/timing/network/mesh_links.hpp"
#include "emu/timing/network/noc_paths.hpp"
#include "emu/timing/network/resource_queues.hpp"
#include "emu/timing/network/virtual_channels.hpp"
#include "emu/timing/transport.hpp"

namespace tessera::timing {

/// A core's NIU on one NoC. Commands leave it in order, and a limited number may be outstanding.
struct NocInterface {
    TransferFifo commands;
    TransferFifo held_reads;       ///< reads issued while a write was being sent
    TransferFifo stalled_reads;    ///< packets of a read that is longer than may be outstanding
    std::uint32_t reads = 0;       ///< packets under way
    std::uint32_t writes = 0;      ///< commands that have not been acknowledged
    std::uint32_t unsent = 0;      ///< commands other than reads that have not left the source
    Millicycles acknowledged = 0;  ///< arrival of the last acknowledgement of multicasts
    Millicycles unanswered = 0;    ///< time of acknowledgements due while the next packet leaves
    bool keeps_path = false;       ///< the last multicast was linked: its tree is still reserved
    /// Resource that blocks the packet being injected; queued commands inherit it as their cause.
    ResourceKind cause = ResourceKind::NocInjection;
};

struct Transport::State {
    State(const Machine& machine, DeviceRange range);

    TransferId start(const Request& request, Millicycles now, EventQueue& queue);
    StageResult advance(TransferId id, Millicycles now, EventQueue& queue);

    // Commands of an interface (commands.cpp)
    StageResult ready(Transfer& transfer, Millicycles now, EventQueue& queue);
    StageResult inject(Transfer& transfer, Millicycles now, EventQueue& queue);
    StageResult inject_next(Transfer& transfer, Millicycles now, EventQueue& queue);
    StageResult send(Transfer& transfer, Millicycles now, EventQueue& queue);
    StageResult send_unicast(Transfer& transfer, Millicycles now, EventQueue& queue);
    /// Sets the route and length of a unicast's next packet.
    void prepare_unicast(Transfer& transfer, Millicycles now);
    /// Reserves room in the bank's buffer for a packet at the end of its route. Returns false if
    /// there is none: the packet is held there.
    [[nodiscard]] bool enter_bank(Transfer& transfer, VirtualChannels::Released released,
                                  Millicycles now, EventQueue& queue);
    /// Starts a packet that takes its whole path at once: multicasts and packets to the fabric.
    void reserve(Transfer& transfer, Millicycles now, EventQueue& queue);
    /// Starts the interface's next command if the blocked packet of this one has left the source.
    StageResult leave_source(Transfer& transfer, Millicycles now, EventQueue& queue);
    /// Counts a command that has left the source, and sends the reads that waited for it.
    void end_command(NocInterface& own, Millicycles now, EventQueue& queue);
    void start_next_command(const Transfer& last, Millicycles time, EventQueue& queue);
    /// Schedules what follows a packet whose last byte leaves its source at `departs`.
    void sent(Transfer& transfer, Millicycles departs, EventQueue& queue);
    /// Returns the path of the next packet of a multicast, or of one to the fabric. Valid up to the
    /// next call.
    [[nodiscard]] const PacketPath& reserved_path(const Transfer& transfer);
    /// Books the sender's port for the acknowledgements of a multicast's packet.
    void book_acknowledgements(Transfer& transfer);

    // Reads (reads.cpp)
    void start_read(Transfer& transfer, Millicycles now, EventQueue& queue);
    void request(Transfer& transfer, Millicycles now, EventQueue& queue);
    /// Advances a read's request, and hands it to the far end once its port accepts it.
    void advance_request(Transfer& transfer, VirtualChannels::Start start, EventQueue& queue);
    void at_memory(Transfer& transfer, Millicycles now, EventQueue& queue);
    void respond(Transfer& transfer, VirtualChannels::Start start, EventQueue& queue);
    StageResult part_arrived(Transfer& transfer, Millicycles now, EventQueue& queue);

    // Milestones (milestones.cpp)
    StageResult depart(Transfer& transfer, Millicycles now, EventQueue& queue);
    void schedule_delivery(Transfer& transfer, Millicycles now, EventQueue& queue) const;
    StageResult deliver(Transfer& transfer, Millicycles now, EventQueue& queue);
    /// Ends a packet of a read that is in place.
    StageResult deliver_read(Transfer& transfer, Millicycles now, EventQueue& queue);
    StageResult acknowledge(Transfer& transfer, Millicycles now);
    /// Returns the time from the delivery to the arrival of the last acknowledgement.
    [[nodiscard]] Millicycles acknowledgement_time(const Transfer& transfer) const;

    [[nodiscard]] CoreCoord node_of(NocPlace place, std::uint32_t noc) const;
    /// Sets the longest occupation by a packet whose head is at the end of its route.
    void set_slowest(Transfer& transfer) const {
        const NocPacket& packet = transfer.noc_packet();
        const UnicastRoute& route = packet.route;
        const bool is_throttled = packet.throttled > route.slowest();
        transfer.set_slowest(is_throttled
                                 ? ResourceKind::NocLink
                                 : resources.kind(resource_of(route.link_of(route.slowest_hop()))),
                             std::max(route.slowest(), packet.throttled));
    }
    [[nodiscard]] std::uint32_t interface_number(std::uint32_t device, std::uint32_t noc,
                                                 CoreCoord node) const;
    [[nodiscard]] NocInterface& interface_of(const Transfer& transfer) noexcept {
        return interfaces[transfer.interface];
    }
    [[nodiscard]] const NocInterface& interface_of(const Niu& niu) const noexcept;

    const ArchSpec& arch;
    DeviceRange devices;  ///< resources, interfaces and requests count devices from its first
    std::uint32_t max_packet;
    std::uint32_t max_reads;
    std::uint32_t max_writes;
    ResourceTable resources;
    NocPaths paths;
    TransferPool transfers;
    ResourceQueues queues;
    RouterBuffer router_buffer;
    VirtualChannels channels;
    DramBanks banks;
    MeshLinks mesh_links;
    std::vector<NocInterface> interfaces;  ///< by (device, noc, node)
    PacketPath path;                       ///< memory of reserved_path() alone
};

}  // namespace tessera::timing
