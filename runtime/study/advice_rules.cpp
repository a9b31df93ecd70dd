// SPDX-License-Identifier: Apache-2.0
// The table of rules: what is supposed, and what to do where it gains.
#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <utility>

#include "runtime/study/advice.hpp"
#include "runtime/study/advice_places.hpp"

namespace tessera::advise {
namespace {

/// Any transfer at such a rate takes no time that shows.
constexpr BytesPerCycle kEndless{1e9};

void endless_dram(TimingSpec& timing) {
    timing.dram.read_latency = timing.dram.write_latency = Cycles{0};
    timing.dram.bank_read_rate = timing.dram.bank_write_rate = kEndless;
    timing.dram.channel_rate = kEndless;
    timing.dram.turnaround = timing.dram.request_overhead = timing.dram.read_slot = Cycles{0};
}

void endless_noc(TimingSpec& timing) {
    NocTiming& noc = timing.noc;
    for (BytesPerCycle* rate : {&noc.read_rate, &noc.write_rate, &noc.link_rate,
                                &noc.injection_rate, &noc.ejection_rate, &noc.multicast_rate}) {
        *rate = kEndless;
    }
    noc.packet_overhead = noc.read_slot = Cycles{0};
}

void endless_noc_links(TimingSpec& timing) {
    timing.noc.link_rate = kEndless;
}

void endless_noc_ports(TimingSpec& timing) {
    NocTiming& noc = timing.noc;
    for (BytesPerCycle* rate :
         {&noc.read_rate, &noc.write_rate, &noc.injection_rate, &noc.ejection_rate}) {
        *rate = kEndless;
    }
    noc.packet_overhead = noc.read_slot = Cycles{0};
}

// A bank's port is a place of the NoC: where cores queue there, neither alone is what holds them
// up.
void endless_dram_and_noc(TimingSpec& timing) {
    endless_dram(timing);
    endless_noc(timing);
}

void no_noc_latency(TimingSpec& timing) {
    NocTiming& noc = timing.noc;
    for (Cycles* latency : {&noc.hop, &noc.interface, &noc.command, &noc.l1_read, &noc.l1_write,
                            &noc.completion, &noc.multicast_setup, &noc.atomic}) {
        *latency = Cycles{0};
    }
}

void endless_links(TimingSpec& timing) {
    LinkTiming& link = timing.link;
    link.rate = BytesPerSecond{1e18};
    for (Seconds* time :
         {&link.hop_latency, &link.core_latency, &link.packet_slot, &link.receive_slot,
          &link.deliver_slot, &link.command_slot, &link.part_slot, &link.flush_slot,
          &link.copy_slot, &link.acknowledgement, &link.ring_slot, &link.mesh_slot,
          &link.mesh_latency, &link.open, &link.close}) {
        *time = Seconds{0};
    }
}

void endless_engines(TimingSpec& timing) {
    ComputeTiming& compute = timing.compute;
    for (Cycles* cost :
         {&compute.unpack_tile_16bit,  &compute.unpack_tile_32bit, &compute.unpack_tile_8bit,
          &compute.unpack_tile_4bit,   &compute.matmul_phase,      &compute.matmul_product,
          &compute.matmul_phases_end,  &compute.eltwise_phase,     &compute.eltwise_late_phase,
          &compute.eltwise_add,        &compute.copy_tile,         &compute.reduce_row_phase,
          &compute.reduce_row_largest, &compute.reduce_scalar,     &compute.reduce_scalar_phase,
          &compute.transpose,          &compute.pack_tile_16bit,   &compute.pack_tile_32bit,
          &compute.pack_tile_8bit,     &compute.pack_accumulate,   &compute.pack_dst_32bit,
          &compute.tilize_tile_16bit,  &compute.tilize_tile_32bit, &compute.untilize_tile,
          &compute.pack_untilize_tile, &timing.sfpu.other}) {
        *cost = Cycles{0};
    }
    for (auto& [name, cost] : timing.sfpu.functions) {
        cost = Cycles{0};
    }
}

void no_call_starts(TimingSpec& timing) {
    ComputeTiming& compute = timing.compute;
    for (Cycles* cost :
         {&compute.unpack_start, &compute.unpack_call, &compute.unpack_block_call,
          &compute.unpack_pair_call, &compute.unpack_next_srca, &compute.unpack_run,
          &compute.matmul_tiles_start, &compute.matmul_block_start, &compute.math_start,
          &compute.pack_start, &compute.init_unpack, &compute.init_math, &compute.init_pack,
          &compute.init_operation, &compute.init_sfpu, &compute.reconfigure, &timing.sfpu.start}) {
        *cost = Cycles{0};
    }
}

void no_issue(TimingSpec& timing) {
    RiscTiming& risc = timing.risc;
    for (Cycles* cost : {&risc.read_issue, &risc.read_issue_dram, &risc.read_issue_with_state,
                         &risc.write_issue, &risc.write_issue_with_state, &risc.set_state,
                         &risc.page_address, &risc.multicast_issue, &timing.link.worker_issue}) {
        *cost = Cycles{0};
    }
}

void no_hand_over(TimingSpec& timing) {
    RiscTiming& risc = timing.risc;
    for (Cycles* cost : {&risc.cb_reserve, &risc.cb_push, &risc.cb_wait, &risc.cb_pop,
                         &risc.barrier_poll, &risc.semaphore_poll, &risc.semaphore_issue,
                         &risc.local_word, &timing.compute.dst_call, &timing.compute.cb_call}) {
        *cost = Cycles{0};
    }
}

void no_launch(TimingSpec& timing) {
    DispatchTiming& dispatch = timing.dispatch;
    for (Cycles* cost :
         {&dispatch.program_gap, &dispatch.prefetch_program, &dispatch.prefetch_binary,
          &dispatch.prefetch_configuration, &dispatch.write_program, &dispatch.write_binary,
          &dispatch.write_multicast, &dispatch.write_group, &dispatch.write_hop,
          &dispatch.write_core, &dispatch.launch_latency, &dispatch.kernel_start,
          &dispatch.cb_setup, &dispatch.kernel_end}) {
        *cost = Cycles{0};
    }
    dispatch.stream_rate = kEndless;
    dispatch.host_read = Seconds{0};
}

bool is_transfer(const TraceEvent& event) {
    return event.kind == EventKind::NocRead || event.kind == EventKind::NocWrite;
}

/// Calls `change` with each event and its core; returns whether one of them changed something.
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

bool deepen_cbs(LaunchTrace& launch, const report::LaunchReport&,
                const timed_run::TimedMachine& machine) {
    bool has_changed = false;
    for (CoreTrace& core : launch.cores) {
        std::uint64_t bytes = 0;
        for (const CbTrace& cb : core.cbs) {
            bytes += std::uint64_t{cb.pages} * cb.page_bytes;
        }
        // Of no use to a designer where L1 has no space for it.
        if (core.l1_bytes + bytes + machine.arch.l1.reserved.value > machine.arch.l1.size.value) {
            continue;
        }
        for (CbTrace& cb : core.cbs) {
            cb.pages *= 2;
            has_changed = true;
        }
    }
    return has_changed;
}

bool deal_out_banks(LaunchTrace& launch, const report::LaunchReport&,
                    const timed_run::TimedMachine& machine) {
    std::map<std::size_t, std::uint32_t> next;  // by core
    return for_each_event(launch, [&](TraceEvent& event, std::size_t core) {
        TransferArgument argument = TransferArgument::unpack(event.argument);
        if (!is_transfer(event) || !argument.place.is_dram()) {
            return false;
        }
        const auto turn = static_cast<std::uint32_t>(core) + next[core]++;
        argument.place = NocPlace::dram(turn % machine.arch.dram.num_banks);
        event.argument = argument.pack();
        return true;
    });
}

constexpr std::array kReads{EventKind::NocRead, EventKind::ReadBarrier};
/// All that a barrier of writes waits for, or that has to stay behind them.
constexpr std::array kWrites{
    EventKind::NocWrite,     EventKind::NocMulticast,  EventKind::SemaphoreAdd,
    EventKind::WordWrite,    EventKind::MulticastWord, EventKind::MulticastAdd,
    EventKind::WriteBarrier, EventKind::WriteFlush,    EventKind::AtomicBarrier};

bool turn_noc(LaunchTrace& launch, std::span<const EventKind> kinds) {
    return for_each_event(launch, [&](TraceEvent& event, std::size_t) {
        if (std::ranges::find(kinds, event.kind) == kinds.end()) {
            return false;
        }
        static_assert(TransferDetail::kNoc == BarrierDetail::kNoc);
        event.detail ^= TransferDetail::kNoc;
        return true;
    });
}

bool turn_reads(LaunchTrace& launch, const report::LaunchReport&, const timed_run::TimedMachine&) {
    return turn_noc(launch, kReads);
}

bool turn_writes(LaunchTrace& launch, const report::LaunchReport&, const timed_run::TimedMachine&) {
    return turn_noc(launch, kWrites);
}

bool join_packets(LaunchTrace& launch, const report::LaunchReport&,
                  const timed_run::TimedMachine& machine) {
    return for_each_event(launch, [&](TraceEvent& event, std::size_t) {
        TransferArgument argument = TransferArgument::unpack(event.argument);
        // What follows on one another without another act between it goes to one place: as one
        // packet of twice the size, as far as a packet may be that long.
        const bool can_join = is_transfer(event) && event.count >= 2 && event.count % 2 == 0 &&
                              2ULL * argument.bytes <= machine.arch.noc.max_packet.value;
        if (can_join) {
            event.count /= 2;
            argument.bytes *= 2;
            event.argument = argument.pack();
        }
        return can_join;
    });
}

/// Two products in a row of one call become one of twice the columns, as far as DST holds them: a
/// tile of in0 is unpacked once for both.
bool widen_blocks(LaunchTrace& launch, const report::LaunchReport&,
                  const timed_run::TimedMachine& machine) {
    const DstSpec& dst = machine.arch.dst;
    bool has_changed = false;
    for (CoreTrace& core : launch.cores) {
        for (ThreadTrace& thread : core.threads) {
            // Of its half of DST: pack has the other.
            const std::uint32_t most =
                (thread.compute.fp32_dest_acc ? dst.tiles_32bit : dst.tiles_16bit) / 2;
            for (TraceEvent& event : thread.events) {
                const bool is_product =
                    event.kind == EventKind::MatmulTiles || event.kind == EventKind::MatmulBlock;
                ComputeArgument argument = ComputeArgument::unpack(event.argument);
                if (is_product && event.count % 2 == 0 && event.count > 0 &&
                    2U * argument.ct * argument.rt <= most) {
                    event.kind = EventKind::MatmulBlock;
                    event.count /= 2;
                    argument.ct = static_cast<std::uint8_t>(2 * argument.ct);
                    event.argument = argument.pack();
                    has_changed = true;
                }
            }
        }
    }
    return has_changed;
}

bool has_same_kernels(const CoreTrace& a, const CoreTrace& b) {
    return std::ranges::equal(a.threads, b.threads, {}, &ThreadTrace::kernel, &ThreadTrace::kernel);
}

/// The core that ended last gets the work of the one in the middle that runs the same kernels.
bool relieve_straggler(LaunchTrace& launch, const report::LaunchReport& expected,
                       const timed_run::TimedMachine&) {
    if (expected.cores.size() != launch.cores.size() || launch.cores.empty()) {
        return false;
    }
    std::vector<std::size_t> order(launch.cores.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = i;
    }
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return expected.cores[i].finish; });
    CoreTrace& last = launch.cores[order.back()];
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
    last.threads = middle.threads;
    return true;
}

/// The line that spends most of the critical path on these activities, or waits for these
/// resources.
template <auto... kWords>
std::string line_of(const report::LaunchReport& launch) {
    static constexpr std::array kAll{kWords...};
    return line_on_path(launch, kAll);
}

}  // namespace

std::vector<Rule> all_rules() {
    using enum RuleKind;
    const auto change = [](std::string_view name, std::string_view advice, ChangeLaunch launch,
                           PlaceOf place = nullptr) {
        return Rule{Change, name, advice, nullptr, launch, place};
    };
    const auto bound = [](std::string_view name, std::string_view advice,
                          void (*timing)(TimingSpec&), PlaceOf place = nullptr) {
        return Rule{Bound, name, advice, timing, nullptr, place};
    };
    return {
        change(kDealOutBanks,
               "let cores that run side by side start at other banks: another split of columns, a "
               "padded width, an order of blocks by core",
               deal_out_banks),
        change("CBs twice as deep", "raise cb_depth: a latency shows that nothing hides",
               deepen_cbs, full_cb),
        change("packets of twice the bytes", "read and write several pages at a time",
               join_packets),
        change("products of twice the columns",
               "a larger subblock: its tiles are unpacked once for more", widen_blocks),
        change("reads on the other NoC", "give the reader the other NoC, or swap the movers",
               turn_reads),
        change("writes on the other NoC", "give the writer the other NoC, or swap the movers",
               turn_writes),
        change("the last core as busy as the middle one",
               "split the work evenly: one core has more of it than the others", relieve_straggler),
        bound("DRAM", "read fewer bytes, or keep what is read again in L1", endless_dram,
              line_of<ResourceKind::Dram>),
        bound("NoC rates", "multicast what cores share, read from nearer places", endless_noc),
        bound(kNocLinks,
              "send less along the same rows and columns: other places of cores, the other NoC",
              endless_noc_links, line_of<ResourceKind::NocLink>),
        bound("ports of cores and banks", "read what cores share once and multicast it",
              endless_noc_ports, line_of<ResourceKind::NocInjection, ResourceKind::NocEjection>),
        bound("DRAM and NoC rates", "spread over banks and their ports what cores read at a time",
              endless_dram_and_noc),
        bound("NoC latency", "have more transfers in flight before each barrier", no_noc_latency,
              line_of<ResourceKind::NocLatency>),
        bound("links between devices", "send less, or on more links", endless_links),
        bound("unpack, math and pack", "use more cores, or a lower fidelity", endless_engines),
        bound("starts of compute calls", "do more in a call: larger subblocks and k_block",
              no_call_starts),
        bound("issue of transfers", "move larger pages, or use the calls with state", no_issue,
              line_of<Activity::ReadIssue, Activity::WriteIssue, Activity::MulticastIssue>),
        bound("hand-over", "hand over more pages at a time", no_hand_over,
              line_of<Activity::CbCall, Activity::BarrierPoll, Activity::SemaphoreIssue,
                      Activity::DstCall>),
        bound("launch", "fuse programs, or give them fewer arguments and kernel groups", no_launch),
    };
}

}  // namespace tessera::advise
