// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/cost/dispatch_cost.hpp"

#include <algorithm>
#include <vector>

#include "emu/timing/cost/millicycles.hpp"

namespace tessera::timing {
namespace {

constexpr double kWord = 4;  // bytes of an argument
// Bytes of a CB's or a semaphore's entry: four words of a CB; semaphores are 16 B apart
// (l1.semaphore_stride).
constexpr double kConfigEntry = 16;

/// Properties of a program that the launch's cores on one device determine.
struct Cores {
    double binaries = 0;   ///< binaries of a core, on average: a compute kernel has three
    double cb_groups = 0;  ///< different sets of CBs
    double hops = 0;       ///< across all cores, corner to corner
};

double num_binaries(const CoreTrace& core) {
    constexpr double kOfCompute = 3;  // one each for unpack, math and pack
    double count = 0;
    for (const ThreadTrace& thread : core.threads) {
        count += thread.processor == Processor::Compute ? kOfCompute : 1;
    }
    return count;
}

// The furthest receiver acknowledges a multicast, so the time depends on the extent of the grid.
double hops_across(const std::vector<const CoreTrace*>& cores) {
    const auto by_x = [](const CoreTrace* core) { return core->core.x; };
    const auto by_y = [](const CoreTrace* core) { return core->core.y; };
    const auto [left, right] = std::ranges::minmax(cores, {}, by_x);
    const auto [top, bottom] = std::ranges::minmax(cores, {}, by_y);
    return right->core.x - left->core.x + bottom->core.y - top->core.y;
}

Cores cores_of(const LaunchTrace& launch, std::uint16_t device) {
    std::vector<const CoreTrace*> cores;
    std::vector<const CoreTrace*> groups;
    Cores result;
    // A launch has its cores by device. A run asks for each device and each draw: a search in all
    // cores of 32 devices took 1 % of a run.
    auto next = std::ranges::lower_bound(launch.cores, device, {}, &CoreTrace::device);
    for (; next != launch.cores.end() && next->device == device; ++next) {
        const CoreTrace& core = *next;
        cores.push_back(&core);
        result.binaries += num_binaries(core);
        const auto is_same = [&](const CoreTrace* group) { return group->cbs == core.cbs; };
        if (!core.cbs.empty() && std::ranges::none_of(groups, is_same)) {
            groups.push_back(&core);
        }
    }
    if (!cores.empty()) {
        result.binaries /= static_cast<double>(cores.size());
        result.hops = hops_across(cores);
    }
    result.cb_groups = static_cast<double>(groups.size());
    return result;
}

/// Bytes of a program.
struct Sizes {
    double binaries = 0;  ///< binaries of all kernel groups
    double shared = 0;    ///< CBs, semaphores and common arguments, multicast
    double own = 0;       ///< arguments of single cores, of one core
};

Sizes sizes_of(const DispatchTrace& program, double cb_groups) {
    const double cbs = kConfigEntry * program.cbs * std::max(cb_groups, 1.0);
    const double cores = std::max(program.cores, 1U);
    return {.binaries = 1.0 * program.binary_bytes,
            .shared = cbs + kConfigEntry * program.semaphores + kWord * program.common_args,
            .own = kWord * program.unique_args / cores};
}

double time_of(double bytes, BytesPerCycle rate) {
    return bytes == 0 ? 0 : bytes / rate.value;
}

Millicycles rounded(double cycles) {
    return to_millicycles(Cycles{cycles});
}

}  // namespace

DispatchCost::DispatchCost(const TimingSpec& timing)
    : timing_(timing.dispatch),
      multicast_rate_(timing.noc.multicast_rate),
      write_rate_(timing.noc.write_rate) {
}

DispatchWork DispatchCost::of(const DispatchTrace& program, const LaunchTrace& launch) const {
    const Cores cores = cores_of(launch, program.device);
    const Sizes sizes = sizes_of(program, cores.cb_groups);
    const double groups = std::max(program.kernels, 1U);
    const double binaries = groups * cores.binaries;

    // Prefetch streams every byte to dispatch, the arguments of each core as well; dispatch sends
    // shared bytes once for all cores.
    // Arguments of single cores are a packed write to each kernel group (tt-metal,
    // program/dispatch.cpp: assemble_runtime_args_commands); all else that configures cores is one.
    const bool is_configured = sizes.shared + sizes.own > 0;
    const double argument_commands = sizes.own > 0 ? groups : 0;
    const double commands = std::max(argument_commands, is_configured ? 1.0 : 0.0);
    const double streamed = sizes.binaries + sizes.shared + sizes.own * program.cores;
    const double prefetch =
        timing_.prefetch_program.value + timing_.prefetch_binary.value * binaries +
        timing_.prefetch_configuration.value * commands + time_of(streamed, timing_.stream_rate);

    // Multicasts to the same cores are linked and overlap; one to another group waits until the one
    // before has been acknowledged: 368 cycles for a CB on all cores, 436 for each group more
    // (pgm_dispatch_golden.json). Binaries, launch message and go signal go to all cores.
    constexpr double kMulticasts = 3;
    const double shared = sizes.shared > 0 ? 1 : 0;
    const double multicasts = shared + (groups - 1);
    const double more_groups = std::max(cores.cb_groups - 1, 0.0) + (groups - 1);
    // Unicasts of one core's arguments follow each other without a gap. Below 20.9 cycles of data
    // the command takes longer than the data.
    const double own =
        sizes.own > 0 ? std::max(timing_.write_core.value, time_of(sizes.own, write_rate_)) : 0;
    const double dispatch =
        timing_.write_program.value + timing_.write_binary.value * binaries +
        timing_.write_multicast.value * multicasts + timing_.write_group.value * more_groups +
        timing_.write_hop.value * cores.hops * (kMulticasts + shared) + own * program.cores +
        timing_.write_arguments.value * std::max(argument_commands - 1, 0.0) +
        time_of(sizes.binaries + sizes.shared, multicast_rate_);
    const double config = (sizes.binaries + sizes.shared) / groups + sizes.own;
    return {rounded(prefetch), rounded(dispatch), static_cast<std::uint64_t>(config),
            program.host_reads != 0};
}

}  // namespace tessera::timing
