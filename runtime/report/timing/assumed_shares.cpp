// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/assumed_shares.hpp"

#include <array>
#include <string_view>

#include "runtime/report/timing/path_parts.hpp"

namespace tessera::report {
namespace {

/// Constants, by the start of their path below `timing.`, that price a part of the path.
struct Prices {
    std::string_view part;
    std::vector<std::string_view> constants;
};

const std::vector<Prices>& price_table() {
    static const std::vector<Prices> kTable{
        {"not started", {"dispatch."}},
        {"between launches", {"dispatch."}},
        {"start of kernel", {"dispatch.kernel_start", "dispatch.cb_setup"}},
        {"finished", {"dispatch.kernel_end"}},
        {"read issue", {"risc.read_issue", "risc.set_state", "risc.page_address"}},
        {"write issue", {"risc.write_issue", "risc.set_state", "risc.page_address"}},
        {"multicast issue", {"risc.multicast_issue"}},
        {"semaphore issue", {"risc.semaphore_issue", "risc.local_word"}},
        {"barrier poll", {"risc.barrier_poll", "risc.semaphore_poll"}},
        {"wait for semaphore", {"risc.semaphore_poll"}},
        {"CB calls", {"risc.cb_"}},
        {"zone marks", {"risc.zone_mark"}},
        {"fabric issue", {"link.worker_issue"}},
        {"unpack", {"compute.unpack_", "compute.tilize", "compute.untilize"}},
        {"matmul", {"compute.matmul_"}},
        {"element-wise",
         {"compute.eltwise_", "compute.copy_tile", "compute.reduce_phase", "compute.transpose",
          "compute.math_start"}},
        {"SFPU", {"sfpu."}},
        {"pack", {"compute.pack_"}},
        {"unit init", {"compute.init_", "compute.reconfigure"}},
        {"DST calls", {"compute.dst_call"}},
        {"wait for DST", {"compute.dst_call"}},
        {"wait for NoC slot", {"noc.outstanding_", "noc.command"}},
        {"NoC injection", {"noc.injection_rate", "noc.read_rate", "noc.write_rate", "noc.command"}},
        {"NoC links", {"noc.link_rate", "noc.packet_overhead", "noc.multicast_"}},
        {"NoC ejection", {"noc.ejection_rate"}},
        {"NoC latency",
         {"noc.hop", "noc.interface", "noc.l1_read", "noc.completion", "noc.atomic"}},
        {"DRAM", {"dram."}},
        {"mesh links",
         {"link.rate", "link.packet_", "link.max_payload", "link.links_per_direction"}},
        {"mesh latency", {"link.hop_latency", "link.sender_slots"}},
    };
    return kTable;
}

// "arch.timing.risc.cb_push" → "risc.cb_push"; empty for keys that are no constants of time.
std::string_view below_timing(std::string_view path) {
    constexpr std::string_view kTiming = "timing.";
    constexpr std::string_view kArch = "arch.";
    path.remove_prefix(path.starts_with(kArch) ? kArch.size() : 0);
    return path.starts_with(kTiming) ? path.substr(kTiming.size()) : std::string_view{};
}

std::vector<std::string> assumed_of(const std::string& part,
                                    const std::vector<const config::ResolvedValue*>& assumed) {
    std::vector<std::string> paths;
    for (const Prices& row : price_table()) {
        for (const auto start : row.constants) {
            for (const config::ResolvedValue* value : assumed) {
                if (row.part == part && below_timing(value->path).starts_with(start)) {
                    paths.push_back(value->path);
                }
            }
        }
    }
    return paths;
}

}  // namespace

std::vector<AssumedShare> assumed_shares(const TimingReport& report,
                                         const config::Resolved& resolved) {
    const auto assumed = config::assumed(resolved);
    std::vector<AssumedShare> shares;
    for (const BoundShare& bound : bounds_of(report)) {
        auto constants = assumed_of(bound.name, assumed);
        if (!constants.empty()) {
            shares.push_back({bound.name, bound.time, std::move(constants)});
        }
    }
    return shares;
}

}  // namespace tessera::report
