// SPDX-License-Identifier: Apache-2.0
// What a Transport keeps, and what its stages do.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "emu/timing/network/mesh_times.hpp"
#include "emu/timing/network/noc_paths.hpp"
#include "emu/timing/network/read_requests.hpp"
#include "emu/timing/network/virtual_channels.hpp"
#include "emu/timing/network/waiting_lines.hpp"
#include "emu/timing/transport.hpp"

namespace tessera::timing {

/// First in, first out, through one of a Transfer's links.
struct TransferLine {
    std::uint32_t first = kNobody;
    std::uint32_t last = kNobody;
};

/// A core's interface to one NoC: its commands go out in order, and so many may be in flight.
struct NocInterface {
    TransferLine commands;
    TransferLine late_reads;  ///< issued while too many were in flight
    TransferLine late_writes;
    std::uint32_t reads = 0;
    std::uint32_t writes = 0;
    bool keeps_path = false;  ///< the last multicast was linked
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
    void ready(std::uint32_t number, Millicycles now, EventQueue& queue);
    void inject(std::uint32_t number, Millicycles now, EventQueue& queue);
    void send(std::uint32_t number, Millicycles now, EventQueue& queue);
    void send_write(std::uint32_t number, Millicycles now, EventQueue& queue);
    /// Of a packet which left at `now` and waits for `delay` on its way.
    void sent(std::uint32_t number, Millicycles now, Millicycles delay, EventQueue& queue);
    void command_path(const Transfer& transfer);
    void unicast_path(const Transfer& transfer);
    /// The bank of a write to DRAM, `latency` behind the start.
    void add_bank(const Transfer& transfer, Millicycles latency, PacketPath& to) const;
    /// Fills `ends`, seen from where the head is.
    void find_ends(const Transfer& transfer, Millicycles latency);

    // Reads (reads.cpp)
    void start_read(std::uint32_t number, Millicycles now, EventQueue& queue);
    void request(std::uint32_t number, Millicycles now, EventQueue& queue);
    void schedule_accepted(Millicycles now, Millicycles lead, EventQueue& queue);
    void at_memory(std::uint32_t number, Millicycles now, EventQueue& queue);
    void respond(std::uint32_t number, Millicycles now, EventQueue& queue);
    void unicast_back(const Transfer& transfer, Pace source);
    void send_back(std::uint32_t number, Millicycles leaves, Millicycles delay, EventQueue& queue);
    StageResult part_arrived(std::uint32_t number, Millicycles now, EventQueue& queue);

    // Ends (ends.cpp)
    StageResult depart(std::uint32_t number, Millicycles now, EventQueue& queue);
    StageResult deliver(std::uint32_t number, Millicycles now, EventQueue& queue);
    StageResult acknowledge(std::uint32_t number, Millicycles now, EventQueue& queue);
    [[nodiscard]] Millicycles acknowledgement(const Transfer& transfer) const;

    // Mesh links (mesh_packets.cpp)
    void link_send(std::uint32_t number, Millicycles now, EventQueue& queue);
    StageResult link_taken(std::uint32_t number, Millicycles now, EventQueue& queue);
    void link_receive(std::uint32_t number, Millicycles now, EventQueue& queue);

    /// Resources, interfaces and requests count devices from the first of `devices`.
    [[nodiscard]] CoreCoord node_of(NocPlace place, std::uint32_t noc) const;
    [[nodiscard]] std::uint32_t interface_number(const Transfer& transfer) const;
    [[nodiscard]] NocInterface& interface_of(const Transfer& transfer) {
        return interfaces[transfer.interface];
    }
    void append(TransferLine& line, std::uint32_t number) {
        transfers[number].next_in_line = kNobody;
        (line.first == kNobody ? line.first : transfers[line.last].next_in_line) = number;
        line.last = number;
    }
    std::uint32_t remove_first(TransferLine& line) {
        const std::uint32_t number = line.first;
        line.first = transfers[number].next_in_line;
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
    WaitingLines lines;
    ReadRequests read_requests;
    VirtualChannels channels;              ///< of unicast writes
    std::vector<NocInterface> interfaces;  ///< by (device, noc, node)
    PacketPath path;                       ///< of the packet at hand
    PacketPath ends;                       ///< of a write: its port and its bank
};

}  // namespace tessera::timing
