// SPDX-License-Identifier: Apache-2.0
// Holds what a Transport keeps, and declares what its stages do.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "emu/timing/network/noc_paths.hpp"
#include "emu/timing/network/resource_queues.hpp"
#include "emu/timing/network/virtual_channels.hpp"
#include "emu/timing/transport.hpp"

namespace tessera::timing {

/// Prices a packet on a mesh link: time on the wire by Ethernet frames, and time of the routers at
/// both ends, each of which handles one packet at a time whichever way it goes.
struct MeshTimes {
    MeshTimes(const LinkTiming& link, Hertz clock)
        : hop_latency(to_millicycles(link.hop_latency, clock)),
          send(to_millicycles(link.packet_slot, clock)),
          receive(to_millicycles(link.receive_slot, clock)),
          deliver(to_millicycles(link.deliver_slot, clock)),
          command(to_millicycles(link.command_slot, clock)),
          part(to_millicycles(link.part_slot, clock)),
          flush(to_millicycles(link.flush_slot, clock)),
          copy(to_millicycles(link.copy_slot, clock)),
          ring(to_millicycles(link.ring_slot, clock)),
          of_mesh(to_millicycles(link.mesh_slot, clock)),
          mesh_latency(to_millicycles(link.mesh_latency, clock)),
          acknowledgement(to_millicycles(link.acknowledgement, clock)),
          sends_beside(link.router_processors > 1),
          wire_(Cycles{0}, BytesPerCycle{link.rate.value / clock.value}),
          header_(link.packet_overhead.value),
          frame_(link.frame.value),
          frame_overhead_(link.frame_overhead.value) {}

    /// Header and payload, cut into frames.
    /// Source   tt-metal, tech_reports/CCLs/CCL_bandwidth.md: P / (P + H + 50 · ⌈(P + H) / 1500⌉).
    [[nodiscard]] Millicycles wire(std::uint64_t payload) const noexcept {
        const std::uint64_t bytes = payload + header_;
        const std::uint64_t frames = (bytes + frame_ - 1) / frame_;
        return wire_.of(bytes + frames * frame_overhead_);
    }

    Millicycles hop_latency;
    Millicycles send;
    Millicycles receive;
    Millicycles deliver;
    Millicycles command;
    Millicycles part;
    Millicycles flush;
    Millicycles copy;
    Millicycles ring;
    Millicycles of_mesh;
    Millicycles mesh_latency;
    Millicycles acknowledgement;
    bool sends_beside;  ///< a processor of the router's own sends

private:
    Pace wire_;
    std::uint64_t header_;
    std::uint64_t frame_;
    std::uint64_t frame_overhead_;
};

/// Links transfers first in, first out, through Transfer::next_in_fifo.
struct TransferFifo {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
};

/// A core's NIU on one NoC: its commands go out in order, and so many may be outstanding.
struct NocInterface {
    TransferFifo commands;
    TransferFifo held_reads;       ///< issued while it was sending
    TransferFifo stalled_reads;    ///< packets of a read that is longer than may be outstanding
    std::uint32_t reads = 0;       ///< packets under way
    std::uint32_t writes = 0;      ///< commands to be acknowledged
    std::uint32_t unsent = 0;      ///< commands that are no reads and have not left the source
    Millicycles acknowledged = 0;  ///< until when receivers of multicasts answer
    Millicycles unanswered = 0;    ///< time of answers to come while the next packet goes out
    bool keeps_path = false;       ///< the last multicast was linked: its tree is still reserved
    /// What has held up the packet that it sends: what comes behind waits for that, too.
    ResourceKind cause = ResourceKind::NocInjection;
};

/// Slots of the router at the far end of a mesh link, and packets that wait for one: those that
/// enter the row or column here, and those that pass along it.
struct LinkBuffer {
    std::uint32_t free = 0;
    TransferFifo entering;
    TransferFifo passing;
};

/// In front of a DRAM bank: what has been written and the bank has not begun with.
struct WriteBuffer {
    std::uint32_t taken = 0;      ///< bytes
    std::uint32_t first = kNone;  ///< packets that wait for room, by next_waiting
    std::uint32_t last = kNone;
};

struct Transport::State {
    State(const Machine& machine, DeviceRange range);

    // Every transfer
    std::uint32_t start(const Request& request, Millicycles now, EventQueue& queue);
    StageResult advance(std::uint32_t number, Millicycles now, EventQueue& queue);
    void schedule(std::uint32_t number, TransferStage stage, Millicycles time, EventQueue& queue) {
        transfers[number].stage = stage;
        queue.push(time, QueueEvent::TransferStage, number);
    }

    // Commands of an interface (commands.cpp)
    StageResult ready(std::uint32_t number, Millicycles now, EventQueue& queue);
    StageResult inject(std::uint32_t number, Millicycles now, EventQueue& queue);
    StageResult inject_next(std::uint32_t number, Millicycles now, EventQueue& queue);
    StageResult send(std::uint32_t number, Millicycles now, EventQueue& queue);
    StageResult send_unicast(std::uint32_t number, Millicycles now, EventQueue& queue);
    void reserve(std::uint32_t number, Millicycles now, EventQueue& queue);
    StageResult leave_source(std::uint32_t number, Millicycles now, EventQueue& queue);
    /// Launches the reads that waited for the NIU, if nothing else is to be sent.
    void end_command(NocInterface& own, Millicycles now, EventQueue& queue);
    void start_next_command(const Transfer& last, Millicycles time, EventQueue& queue);
    /// Schedules what follows a packet whose last byte leaves its source at `departs`.
    void sent(std::uint32_t number, Millicycles departs, EventQueue& queue);
    void reserved_path(const Transfer& transfer);
    /// Counts the time of the sender's port for what receivers of a multicast's packet answer.
    void count_acknowledgements(Transfer& transfer);

    // DRAM banks (dram_banks.cpp)
    /// Starts an access of a packet's bank and returns how long it takes; or queues the packet, to
    /// come back with an event of its own, and returns nothing.
    [[nodiscard]] std::optional<Millicycles> start_at_bank(std::uint32_t number,
                                                           NocPaths::Access access,
                                                           std::uint32_t bytes, Millicycles now,
                                                           EventQueue& queue);

    // Writes at DRAM (dram_writes.cpp)
    /// Takes room for a packet in the buffer of its bank; without it the packet waits for some.
    [[nodiscard]] bool take_room(std::uint32_t number);
    /// Lets a packet that flows into the buffer from `begin` on ask for its bank.
    void write_to_bank(std::uint32_t number, Millicycles begin, EventQueue& queue);
    /// Begins with a packet of the buffer if its bank is free.
    void buffered(std::uint32_t number, Millicycles now, EventQueue& queue);
    void leave_room(const Request& request, std::uint32_t bytes, Millicycles now,
                    EventQueue& queue);
    [[nodiscard]] bool has_room(const WriteBuffer& buffer) const noexcept;
    [[nodiscard]] WriteBuffer& write_buffer_of(const Request& request) noexcept;

    // Reads (reads.cpp)
    void start_read(std::uint32_t number, Millicycles now, EventQueue& queue);
    void request(std::uint32_t number, Millicycles now, EventQueue& queue);
    /// Moves the request of a read on, and into the far end once its port accepts it.
    void ask(std::uint32_t number, VirtualChannels::Start start, EventQueue& queue);
    void at_memory(std::uint32_t number, Millicycles now, EventQueue& queue);
    void respond(std::uint32_t number, VirtualChannels::Start start, EventQueue& queue);
    StageResult part_arrived(std::uint32_t number, Millicycles now, EventQueue& queue);

    // Milestones (milestones.cpp)
    StageResult depart(std::uint32_t number, Millicycles now, EventQueue& queue);
    void schedule_delivery(std::uint32_t number, Millicycles now, EventQueue& queue);
    StageResult deliver(std::uint32_t number, Millicycles now, EventQueue& queue);
    StageResult acknowledge(std::uint32_t number, Millicycles now);
    [[nodiscard]] Millicycles acknowledgement(const Transfer& transfer) const;

    // Mesh links (mesh_packets.cpp)
    void link_send(std::uint32_t number, Millicycles now, EventQueue& queue);
    StageResult link_taken(std::uint32_t number, Millicycles now, EventQueue& queue);
    // Buffers at their far ends (link_buffers.cpp)
    /// Takes a slot for a packet that is to cross its link; without one it waits.
    [[nodiscard]] bool take_slot(std::uint32_t number);
    /// Frees the slot in which a packet lay, for one that waits.
    void free_slot(Transfer& packet, Millicycles now, EventQueue& queue);
    [[nodiscard]] bool is_in_ring(const Transfer& packet) const noexcept;
    [[nodiscard]] bool enters_axis(const Transfer& packet) const noexcept;
    [[nodiscard]] std::uint32_t slots_needed(const Transfer& packet) const noexcept;
    [[nodiscard]] TransferFifo* next_for_slot(LinkBuffer& buffer) const noexcept;

    /// Sends the packet on over the link of the same number along its second dimension.
    void turn(Transfer& packet) const;
    void link_receive(std::uint32_t number, Millicycles now, EventQueue& queue);
    /// What the router at `packet`'s device takes for it: the last one, or one that writes it too.
    /// Books the wire for the acknowledgement of a packet that a router has handled.
    void acknowledge(const Transfer& packet, Millicycles handled);
    [[nodiscard]] Millicycles handling_of(const Transfer& packet, bool is_there, bool is_written,
                                          Millicycles transit) const;
    [[nodiscard]] bool takes_mesh_routes(const Request& request) const noexcept;
    StageResult link_passed(std::uint32_t number, Millicycles now, EventQueue& queue);
    [[nodiscard]] StageResult passed(std::uint32_t number) const;
    /// Starts the packets along the row of a box's packet, which is in place on a device of its
    /// column.
    void branch(std::uint32_t number, Millicycles now, EventQueue& queue);
    /// Ends a packet or a branch of one; the number of a packet with branches ends with the last.
    StageResult end_packet(std::uint32_t number, Millicycles now, EventQueue& queue);

    /// Resources, interfaces and requests count devices from the first of `devices`.
    [[nodiscard]] CoreCoord node_of(NocPlace place, std::uint32_t noc) const;
    /// Notes what takes longest of the time of a packet's body.
    void note_slowest(Transfer& transfer, ResourceKind kind, Millicycles duration) const {
        transfer.slowest = duration;
        transfer.slowest_kind = kind;
    }
    /// The same of a unicast packet whose head is at the end of its route.
    void note_slowest(Transfer& transfer) const {
        const UnicastRoute& route = transfer.route;
        const bool is_throttled = transfer.throttled > route.slowest();
        note_slowest(transfer,
                     is_throttled ? ResourceKind::NocLink
                                  : resources.kind(route.resource_of(route.slowest_hop())),
                     std::max(route.slowest(), transfer.throttled));
    }
    [[nodiscard]] std::uint32_t interface_number(std::uint32_t device, std::uint32_t noc,
                                                 CoreCoord node) const;
    [[nodiscard]] NocInterface& interface_of(const Transfer& transfer) noexcept {
        return interfaces[transfer.interface];
    }
    [[nodiscard]] const NocInterface& interface_of(const Niu& niu) const noexcept;
    void append(TransferFifo& fifo, std::uint32_t number) {
        transfers[number].next_in_fifo = kNone;
        (fifo.first == kNone ? fifo.first : transfers[fifo.last].next_in_fifo) = number;
        fifo.last = number;
    }
    std::uint32_t remove_first(TransferFifo& fifo) {
        const std::uint32_t number = fifo.first;
        fifo.first = transfers[number].next_in_fifo;
        return number;
    }

    const ArchSpec& arch;
    DeviceRange devices;
    const MeshSpec& mesh;
    std::uint32_t max_packet;
    std::uint32_t max_reads;
    std::uint32_t max_writes;
    ResourceTable resources;
    NocPaths paths;
    MeshTimes mesh_times;
    TransferPool transfers;
    ResourceQueues queues;
    RouterBuffer router_buffer;
    VirtualChannels channels;
    std::vector<NocInterface> interfaces;         ///< by (device, noc, node)
    std::vector<LinkBuffer> link_buffers;         ///< by (device, sender)
    std::uint32_t write_buffer;                   ///< bytes that each bank's holds
    std::vector<WriteBuffer> write_buffers;       ///< by (device, bank)
    std::vector<NocPaths::Access> last_accesses;  ///< by (device, channel)
    PacketPath path;                              ///< scratch: of the packet being timed
};

}  // namespace tessera::timing
