// SPDX-License-Identifier: Apache-2.0
// Hand-made traces, and a machine whose constants are round numbers.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "emu/timing/replay.hpp"
#include "tessera/errors.hpp"
#include "tessera/timing_spec.hpp"
#include "tests/arch_fixture.hpp"

namespace tessera::timing {

inline constexpr Millicycles kCycle = kMillicyclesPerCycle;

/// Cycles of the hand-made machine. Launches start at once and kernels begin at 0.
inline TimingSpec round_timing() {
    TimingSpec timing;
    timing.clock = Hertz{1e9};
    timing.risc = {.read_issue = Cycles{25},
                   .read_issue_dram = Cycles{25},
                   .read_issue_with_state = Cycles{15},
                   .write_issue = Cycles{20},
                   .write_issue_with_state = Cycles{12},
                   .set_state = Cycles{18},
                   .page_address = Cycles{14},
                   .multicast_issue = Cycles{28},
                   .semaphore_issue = Cycles{22},
                   .barrier_poll = Cycles{10},
                   .semaphore_poll = Cycles{8},
                   .local_word = Cycles{5},
                   .cb_reserve = Cycles{7},
                   .cb_push = Cycles{6},
                   .cb_wait = Cycles{9},
                   .cb_pop = Cycles{4},
                   .zone_mark = Cycles{0}};
    timing.dispatch.stream_rate = BytesPerCycle{16};
    timing.dispatch.config_ring = Bytes{1 << 16};
    timing.dispatch.launch_messages = 8;
    timing.noc.outstanding_reads = 64;
    timing.noc.outstanding_writes = 64;
    timing.noc.queued_writes = 64;
    timing.compute = {.unpack_tile_16bit = Cycles{30},
                      .unpack_tile_32bit = Cycles{60},
                      .unpack_tile_8bit = Cycles{16},
                      .unpack_tile_4bit = Cycles{8},
                      .unpack_start = Cycles{2},
                      .unpack_pair_share = 1,
                      .unpack_call = Cycles{0},
                      .unpack_block_call = Cycles{0},
                      .unpack_pair_call = Cycles{0},
                      .unpack_next_srca = Cycles{13},
                      .unpack_run = Cycles{0},
                      .matmul_tiles_in_source = 2,
                      .matmul_phase = Cycles{16},
                      .matmul_product = Cycles{1},
                      .matmul_phases_end = Cycles{2},
                      .matmul_tiles_start = Cycles{3},
                      .matmul_block_start = Cycles{5},
                      .eltwise_phase = Cycles{20},
                      .eltwise_late_phase = Cycles{24},
                      .eltwise_add = Cycles{17},
                      .copy_tile = Cycles{16},
                      .reduce_row_phase = Cycles{19},
                      .reduce_row_largest = Cycles{80},
                      .reduce_scalar = Cycles{13},
                      .reduce_scalar_phase = Cycles{29},
                      .transpose = Cycles{33},
                      .math_start = Cycles{3},
                      .pack_tile_16bit = Cycles{32},
                      .pack_tile_32bit = Cycles{64},
                      .pack_tile_8bit = Cycles{17},
                      .packers = 4,
                      .pack_start = Cycles{5},
                      .pack_accumulate = Cycles{31},
                      .pack_dst_32bit = Cycles{7},
                      .tilize_tile_16bit = Cycles{38},
                      .tilize_tile_32bit = Cycles{74},
                      .untilize_tile = Cycles{390},
                      .pack_untilize_tile = Cycles{57},
                      .dst_call = Cycles{11},
                      .cb_call = Cycles{6},
                      .init_unpack = Cycles{150},
                      .init_math = Cycles{70},
                      .init_pack = Cycles{160},
                      .init_operation = Cycles{50},
                      .init_sfpu = Cycles{30},
                      .reconfigure = Cycles{25}};
    timing.sfpu = {.functions = {{"exp", Cycles{1000}}, {"exp_approx", Cycles{90}}},
                   .start = Cycles{10},
                   .other = Cycles{250},
                   .instruction = Cycles{2}};
    timing.link.worker_issue = Cycles{80};
    timing.link.open = Seconds{70e-9};
    timing.link.close = Seconds{90e-9};
    timing.link.sender_slots = 2;
    timing.link.links_per_direction = 4;
    timing.link.mux_slot = Cycles{200};
    timing.link.mux_credit = Cycles{25};
    return timing;
}

inline TraceEvent event(EventKind kind, std::uint8_t detail = 0, std::uint32_t count = 1,
                        std::uint64_t argument = 0) {
    return {kind, detail, 0, count, argument};
}
inline TraceEvent cb(EventKind kind, std::uint8_t index, std::uint32_t pages,
                     std::uint32_t count = 1) {
    return event(kind, index, count, pages);
}
inline TraceEvent read(std::uint32_t bytes, std::uint32_t count = 1, std::uint8_t detail = 0) {
    return event(EventKind::NocRead, detail, count,
                 TransferArgument{bytes, NocPlace::dram(3), 0}.pack());
}
inline TraceEvent write(std::uint32_t bytes, std::uint32_t count = 1, std::uint8_t detail = 0) {
    return event(EventKind::NocWrite, detail, count,
                 TransferArgument{bytes, NocPlace::dram(3), 0}.pack());
}
/// Returns a compute event on bfloat16 tiles.
inline TraceEvent compute(EventKind kind, std::uint32_t count = 1, std::uint8_t detail = 0,
                          ComputeArgument argument = {DataFormat::Float16_b, DataFormat::Float16_b,
                                                      DataFormat::Float16_b}) {
    return event(kind, detail, count, argument.pack());
}

/// One launch of kernels on a mesh of one row. Sites are lines of "kernel.cpp": every event of a
/// kernel is on the line of its index, from 1.
class TraceBuilder {
public:
    explicit TraceBuilder(std::uint32_t num_devices = 1) {
        trace.names = {"", "kernel.cpp", "exp_tile", "sinh_tile", "zone"};
        trace.launches.emplace_back().name = "hand-made";
        mesh.shape = {1, num_devices};
        arch = tessera::testing::small_arch();
        timing = round_timing();
    }

    /// Adds a core with CBs of `pages` pages each, indexed from 0.
    TraceBuilder& core(CoreCoord coord, std::vector<std::uint32_t> pages = {},
                       std::uint16_t device = 0) {
        CoreTrace core;
        core.device = device;
        core.core = coord;
        for (std::size_t i = 0; i < pages.size(); ++i) {
            core.cbs.push_back(
                {static_cast<std::uint8_t>(i), DataFormat::Float16_b, pages[i], 2048});
        }
        trace.launches[0].cores.push_back(std::move(core));
        return *this;
    }
    TraceBuilder& kernel(Processor processor, std::vector<TraceEvent> events) {
        ThreadTrace thread;
        thread.processor = processor;
        thread.kernel = 1;
        thread.sites.emplace_back();
        for (TraceEvent& each : events) {
            each.site = static_cast<std::uint16_t>(thread.sites.size());
            thread.sites.push_back({1, static_cast<std::uint32_t>(thread.sites.size())});
        }
        thread.events = std::move(events);
        trace.launches[0].cores.back().threads.push_back(std::move(thread));
        return *this;
    }
    TraceBuilder& reader(std::vector<TraceEvent> events) {
        return kernel(Processor::Riscv1, std::move(events));
    }
    TraceBuilder& writer(std::vector<TraceEvent> events) {
        return kernel(Processor::Riscv0, std::move(events));
    }
    TraceBuilder& compute(std::vector<TraceEvent> events) {
        return kernel(Processor::Compute, std::move(events));
    }

    [[nodiscard]] LaunchTimeline run(const ReplayOptions& options = {}) const {
        return replay(trace, trace.launches[0], {arch, timing, mesh}, options);
    }

    Trace trace;
    MeshSpec mesh;
    ArchSpec arch;
    TimingSpec timing;
};

/// Returns the thread's time for an activity, in cycles.
inline double cycles_of(const LaunchTimeline& timeline, std::size_t thread, Activity activity) {
    return static_cast<double>(
               timeline.threads.at(thread).totals[static_cast<std::size_t>(activity)]) /
           kMillicyclesPerCycle;
}
inline double makespan_cycles(const LaunchTimeline& timeline) {
    return static_cast<double>(timeline.makespan) / kMillicyclesPerCycle;
}

}  // namespace tessera::timing
