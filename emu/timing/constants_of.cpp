// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/constants_of.hpp"

#include <array>

namespace tessera::timing {
namespace {

using Key = std::string_view;

constexpr std::array kNotStarted{Key{"dispatch.launch_latency"}};
// Kernels of a launch do not start together (start_spread): what the spread adds shows as start.
constexpr std::array kStart{Key{"dispatch.kernel_start"}, Key{"dispatch.start_spread"},
                            Key{"dispatch.cb_setup"}, Key{"dispatch.kernel_copy"}};
constexpr std::array kFinished{Key{"dispatch.kernel_end"}};
constexpr std::array kReadIssue{Key{"risc.read_issue"}, Key{"risc.read_issue_dram"},
                                Key{"risc.read_issue_with_state"}, Key{"risc.set_state"},
                                Key{"risc.page_address"}};
constexpr std::array kWriteIssue{Key{"risc.write_issue"}, Key{"risc.write_issue_with_state"},
                                 Key{"risc.page_address"}};
constexpr std::array kMulticastIssue{Key{"risc.multicast_issue"}};
// A semaphore of another core is an atomic over the NoC, one of the own core a word in its L1.
constexpr std::array kSemaphoreIssue{Key{"risc.semaphore_issue"}, Key{"risc.local_word"}};
constexpr std::array kBarrierPoll{Key{"risc.barrier_poll"}, Key{"risc.semaphore_poll"}};
constexpr std::array kCbCall{Key{"risc.cb_reserve"}, Key{"risc.cb_push"}, Key{"risc.cb_wait"},
                             Key{"compute.cb_call"}, Key{"risc.cb_pop"}};
constexpr std::array kFabricIssue{Key{"link.worker_issue"}, Key{"link.open"}, Key{"link.close"}};
constexpr std::array kInstructions{Key{"risc.instruction"}, Key{"risc.load"}, Key{"risc.store"},
                                   Key{"risc.product"}, Key{"risc.dividend_bit"}};
constexpr std::array kUnpack{Key{"compute.unpack_tile_16bit"}, Key{"compute.unpack_tile_32bit"},
                             Key{"compute.unpack_tile_8bit"},  Key{"compute.unpack_tile_4bit"},
                             Key{"compute.unpack_start"},      Key{"compute.unpack_pair_share"},
                             Key{"compute.unpack_next_srca"},  Key{"compute.unpack_run"},
                             Key{"compute.unpack_call"},       Key{"compute.unpack_block_call"},
                             Key{"compute.unpack_pair_call"},  Key{"compute.tilize_tile_16bit"},
                             Key{"compute.tilize_tile_32bit"}, Key{"compute.untilize_tile"}};
constexpr std::array kMatmul{
    Key{"compute.matmul_phase"},       Key{"compute.matmul_product"},
    Key{"compute.matmul_phases_end"},  Key{"compute.matmul_tiles_start"},
    Key{"compute.matmul_block_start"}, Key{"compute.matmul_tiles_in_source"}};
constexpr std::array kEltwise{Key{"compute.eltwise_phase"},    Key{"compute.eltwise_late_phase"},
                              Key{"compute.eltwise_add"},      Key{"compute.copy_tile"},
                              Key{"compute.reduce_row_phase"}, Key{"compute.reduce_row_largest"},
                              Key{"compute.reduce_scalar"},    Key{"compute.reduce_scalar_phase"},
                              Key{"compute.transpose"},        Key{"compute.math_start"}};
// An interval does not say which function ran, so that any of them may be its price.
constexpr std::array kSfpu{Key{"sfpu."}};
constexpr std::array kPack{Key{"compute.packers"},         Key{"compute.pack_tile_16bit"},
                           Key{"compute.pack_tile_32bit"}, Key{"compute.pack_tile_8bit"},
                           Key{"compute.pack_start"},      Key{"compute.pack_accumulate"},
                           Key{"compute.pack_dst_32bit"},  Key{"compute.pack_untilize_tile"}};
constexpr std::array kUnitInit{Key{"compute.init_unpack"}, Key{"compute.init_math"},
                               Key{"compute.init_pack"},   Key{"compute.init_operation"},
                               Key{"compute.init_sfpu"},   Key{"compute.reconfigure"}};
constexpr std::array kDstCall{Key{"compute.dst_call"}};
constexpr std::array kZone{Key{"risc.zone_mark"}};
// No activity of any thread: between programs only the host and the dispatcher are at work.
constexpr std::array kGaps{Key{"dispatch.host_read"},
                           Key{"dispatch.program_gap"},
                           Key{"dispatch.prefetch_program"},
                           Key{"dispatch.prefetch_binary"},
                           Key{"dispatch.prefetch_configuration"},
                           Key{"dispatch.stream_rate"},
                           Key{"dispatch.write_program"},
                           Key{"dispatch.write_binary"},
                           Key{"dispatch.write_multicast"},
                           Key{"dispatch.write_group"},
                           Key{"dispatch.write_hop"},
                           Key{"dispatch.write_core"},
                           Key{"dispatch.write_arguments"},
                           Key{"dispatch.config_ring"},
                           Key{"dispatch.launch_messages"}};

// Waits. Each of these caps what is outstanding; a larger cap makes the wait shorter.
constexpr std::array kSlot{Key{"noc.outstanding_reads"}, Key{"noc.outstanding_writes"},
                           Key{"noc.queued_writes"}};
constexpr std::array kFabricSlot{Key{"link.sender_slots"}, Key{"link.mux_slot"},
                                 Key{"link.mux_credit"}};

constexpr std::array kNocInjection{Key{"noc.injection_rate"}, Key{"noc.read_rate"},
                                   Key{"noc.write_rate"},     Key{"noc.multicast_rate"},
                                   Key{"noc.read_slot"},      Key{"dram.read_slot"}};
constexpr std::array kNocLink{Key{"noc.link_rate"}, Key{"noc.packet_overhead"},
                              Key{"noc.router_buffer"}, Key{"noc.channel_buffer"}};
constexpr std::array kNocEjection{Key{"noc.ejection_rate"}};
// Latencies by what waited: one table for all had a run that only reads hang by up to 76 % on the
// assumed latency of atomics.
constexpr std::array kReadLatency{Key{"noc.hop"},        Key{"noc.interface"},
                                  Key{"noc.command"},    Key{"noc.l1_read"},
                                  Key{"noc.completion"}, Key{"noc.port_requests"}};
constexpr std::array kWriteLatency{Key{"noc.hop"},        Key{"noc.interface"},
                                   Key{"noc.command"},    Key{"noc.l1_write"},
                                   Key{"noc.completion"}, Key{"noc.multicast_setup"}};
/// Of what ends any other wait: a word, an atomic or a multicast.
constexpr std::array kWordLatency{
    Key{"noc.hop"},      Key{"noc.interface"},  Key{"noc.command"},        Key{"noc.atomic"},
    Key{"noc.l1_write"}, Key{"noc.completion"}, Key{"noc.multicast_setup"}};
// Rate, latency and turn-arounds of a bank overlap: its time is not told apart by constant.
constexpr std::array kDram{Key{"dram."}};
// Besides what a packet takes, how many there are (max_payload) and what shares them.
constexpr std::array kMeshLink{Key{"link.rate"},
                               Key{"link.packet_slot"},
                               Key{"link.receive_slot"},
                               Key{"link.deliver_slot"},
                               Key{"link.command_slot"},
                               Key{"link.part_slot"},
                               Key{"link.acknowledgement"},
                               Key{"link.flush_slot"},
                               Key{"link.copy_slot"},
                               Key{"link.ring_slot"},
                               Key{"link.mesh_slot"},
                               Key{"link.receiver_slots"},
                               Key{"link.router_processors"},
                               Key{"link.packet_overhead"},
                               Key{"link.frame"},
                               Key{"link.frame_overhead"},
                               Key{"link.max_payload"},
                               Key{"link.links_per_direction"}};
constexpr std::array kMeshLatency{Key{"link.hop_latency"}, Key{"link.mesh_latency"}};

using Keys = std::span<const Key>;

constexpr auto kOfActivity = [] {
    std::array<Keys, kNumActivities> table{};
    const auto at = [&table](Activity activity) -> Keys& {
        return table[static_cast<std::size_t>(activity)];
    };
    at(Activity::NotStarted) = kNotStarted;
    at(Activity::Start) = kStart;
    at(Activity::ReadIssue) = kReadIssue;
    at(Activity::WriteIssue) = kWriteIssue;
    at(Activity::MulticastIssue) = kMulticastIssue;
    at(Activity::SemaphoreIssue) = kSemaphoreIssue;
    at(Activity::BarrierPoll) = kBarrierPoll;
    at(Activity::CbCall) = kCbCall;
    at(Activity::FabricIssue) = kFabricIssue;
    at(Activity::Instructions) = kInstructions;
    at(Activity::Unpack) = kUnpack;
    at(Activity::Matmul) = kMatmul;
    at(Activity::Eltwise) = kEltwise;
    at(Activity::Sfpu) = kSfpu;
    at(Activity::Pack) = kPack;
    at(Activity::UnitInit) = kUnitInit;
    at(Activity::DstCall) = kDstCall;
    at(Activity::Zone) = kZone;
    at(Activity::Finished) = kFinished;
    at(Activity::WaitNocSlot) = kSlot;
    at(Activity::WaitFabric) = kFabricSlot;
    return table;
}();

Keys latency_of(Activity activity) noexcept {
    switch (activity) {
        case Activity::WaitNocRead:
            return kReadLatency;
        case Activity::WaitNocWrite:
        case Activity::WaitNocSlot:
            return kWriteLatency;
        default:
            return kWordLatency;
    }
}

}  // namespace

std::span<const std::string_view> constants_of(Activity activity, ResourceKind passed) noexcept {
    switch (passed) {
        case ResourceKind::None:
            return kOfActivity[static_cast<std::size_t>(activity)];
        case ResourceKind::NocInjection:
            return kNocInjection;
        case ResourceKind::NocLink:
            return kNocLink;
        case ResourceKind::NocEjection:
            return kNocEjection;
        case ResourceKind::NocLatency:
            return latency_of(activity);
        case ResourceKind::Dram:
            return kDram;
        case ResourceKind::MeshLink:
            return kMeshLink;
        case ResourceKind::MeshLatency:
            return kMeshLatency;
    }
    return {};
}

std::span<const std::string_view> constants_of_gaps() noexcept {
    return kGaps;
}

}  // namespace tessera::timing
