// SPDX-License-Identifier: Apache-2.0
// A machine of round numbers: a torus of 6 × 5 nodes; workers at x = 1, 2, 4, 5 and y = 0 … 3 (row
// 2 harvested); two DRAM banks behind one channel at x = 0, a third alone at (3, 4).
#pragma once

#include "emu/timing/transport.hpp"
#include "tessera/timing_spec.hpp"

namespace tessera::timing {

struct SmallMachine {
    SmallMachine() {
        arch.workers.compute = {4, 4};
        arch.workers.noc_columns = {1, 2, 4, 5};
        arch.workers.noc_rows = {0, 1, 3, 4};
        arch.dram.num_banks = 3;
        arch.dram.endpoints = {endpoint({0, 0}, 0), endpoint({0, 2}, 0), endpoint({3, 2}, 1)};
        arch.noc = {.grid = {6, 5}, .flit = Bytes{32}, .max_packet = Bytes{1024}};
        timing.clock = Hertz{1e9};
        timing.noc.hop = Cycles{10};
        timing.noc.interface = Cycles{5};
        timing.noc.command = Cycles{20};
        timing.noc.l1_read = Cycles{30};
        timing.noc.l1_write = Cycles{7};
        timing.noc.completion = Cycles{3};
        timing.noc.read_rate = BytesPerCycle{16};
        timing.noc.write_rate = BytesPerCycle{32};
        timing.noc.link_rate = BytesPerCycle{32};
        timing.noc.injection_rate = BytesPerCycle{32};
        timing.noc.ejection_rate = BytesPerCycle{32};
        timing.noc.multicast_rate = BytesPerCycle{16};
        timing.noc.multicast_setup = Cycles{22};
        timing.noc.packet_overhead = Cycles{1};
        timing.noc.atomic = Cycles{6};
        timing.noc.router_buffer = Bytes{2048};
        timing.noc.channel_buffer = Bytes{512};
        timing.noc.port_requests = 4;
        timing.noc.outstanding_reads = 1000;
        timing.noc.outstanding_writes = 1000;
        timing.dram.read_latency = Cycles{100};
        timing.dram.write_latency = Cycles{40};
        timing.dram.bank_read_rate = BytesPerCycle{16};
        timing.dram.bank_write_rate = BytesPerCycle{8};
        timing.dram.write_port_rate = BytesPerCycle{8};
        timing.dram.write_buffer = Bytes{4096};
        timing.dram.channel_rate = BytesPerCycle{16};
        timing.dram.request_overhead = Cycles{2};
        timing.dram.port_requests = 4;
        timing.dram.burst = Bytes{64};
        timing.link.rate = BytesPerSecond{10e9};  // 10 B/cycle
        timing.link.hop_latency = Seconds{500e-9};
        timing.link.packet_slot = Seconds{50e-9};
        timing.link.receive_slot = Seconds{20e-9};
        timing.link.deliver_slot = Seconds{60e-9};
        timing.link.command_slot = Seconds{7e-9};
        timing.link.part_slot = Seconds{9e-9};
        timing.link.flush_slot = Seconds{200e-9};
        timing.link.copy_slot = Seconds{11e-9};
        timing.link.mesh_slot = Seconds{31e-9};
        timing.link.router_processors = 1;
        timing.link.receiver_slots = 16;
        timing.link.packet_overhead = Bytes{48};
        timing.link.frame = Bytes{1500};
        timing.link.frame_overhead = Bytes{50};
        mesh.shape = {1, 4};
    }
    static DramEndpoint endpoint(CoreCoord node, std::uint32_t channel) {
        return {.noc = node, .noc1 = node, .physical = node, .physical1 = node, .channel = channel};
    }
    [[nodiscard]] Machine machine() const { return {arch, timing, mesh}; }

    ArchSpec arch;
    TimingSpec timing;
    MeshSpec mesh;
};

[[nodiscard]] inline Request read(CoreCoord core, NocPlace place, std::uint32_t bytes,
                                  std::uint8_t noc = 0) {
    return {.kind = RequestKind::Read, .core = core, .noc = noc, .place = place, .bytes = bytes};
}
[[nodiscard]] inline Request write(CoreCoord core, NocPlace place, std::uint32_t bytes,
                                   std::uint8_t noc = 0) {
    return {.kind = RequestKind::Write, .core = core, .noc = noc, .place = place, .bytes = bytes};
}
[[nodiscard]] inline Request multicast(CoreCoord core, CoreCoord start, CoreCoord end,
                                       std::uint32_t bytes) {
    return {.kind = RequestKind::Multicast,
            .core = core,
            .rect_start = start,
            .rect_end = end,
            .bytes = bytes};
}

}  // namespace tessera::timing
