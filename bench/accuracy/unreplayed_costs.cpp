// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/unreplayed_costs.hpp"

#include <array>
#include <string>

#include "runtime/config/drawn_timing.hpp"

namespace tessera::score {
namespace {

/// Value of a cost and the ends of its range.
struct Range {
    double low;
    double stated;
    double high;
    static constexpr Range exactly(double value) { return {value, value, value}; }
};

struct CostRow {
    double UnreplayedCosts::*member;
    /// Seed of the cost's draws.
    std::string_view name;
    Range wormhole;
    Range blackhole;
};

using Costs = UnreplayedCosts;

// Short names of sources:
//   tensix       tt-sim, perfbench/card-sessions/2026-08-17-wormhole-B/tensix.out
//   rdcfg        tt-sim, perfbench/card-sessions/2026-08-12/tensix-rdcfg.out
//   bandwidth    tt-metal, tests/tt_metal/microbenchmarks/ethernet/
//                test_all_ethernet_links_bandwidth.py
//   latency      the same folder, test_all_ethernet_links_latency.py
constexpr std::array kRows{
    // tensix: 0.995 to 0.997. Blackhole: assumed, as on Wormhole.
    CostRow{&Costs::issue_cycles, "timing.instruction.issue", Range::exactly(1), {0.99, 1, 1}},
    // tensix: 2.97. Blackhole: assumed, as on Wormhole.
    CostRow{
        &Costs::scalar_unit_cycles, "timing.instruction.scalar_unit", {2.97, 3, 3}, {2.97, 3, 3}},
    // tensix: 1.97. rdcfg: 1.0.
    CostRow{&Costs::configuration_read_cycles, "timing.instruction.configuration_read",
            Range::exactly(2), Range::exactly(1)},
    // Fitted to MVMUL of tensix: 6.08 each with two threads, 12.10 with three.
    CostRow{&Costs::math_handover_cycles, "timing.instruction.math_handover", Range::exactly(1),
            Range::exactly(1)},
    // latency: 894 in a round trip at 16 B; BasicEthernetGuide.md states 530 to 620. Blackhole:
    // assumed, as on Wormhole.
    CostRow{&Costs::core_latency_ns, "timing.link.core_latency", {447, 447, 620}, {447, 447, 620}},
    // Fitted to bandwidth in both directions: 80 ns a packet (Blackhole 66), minus the poll. Both
    // ends are assumed to take the same time.
    CostRow{&Costs::core_send_ns, "timing.link.core_send", {30, 36.5, 48}, {27, 31, 36}},
    // Fitted to bandwidth, as the row before.
    CostRow{&Costs::core_receive_ns, "timing.link.core_receive", {30, 36.5, 40}, {24, 31, 35}},
    // Fitted to bandwidth. Wormhole: 74.4 ns a packet in one direction if the receiver writes to a
    // worker, minus poll, receive and track. Blackhole: 80 ns a packet in both directions if
    // receivers write to a worker without transaction ids.
    CostRow{&Costs::core_deliver_ns, "timing.link.core_deliver", {13.5, 13.5, 43}, {10, 14, 34}},
    // Fitted to bandwidth, Blackhole with transaction ids: 95 to 100 ns. Wormhole: assumed, with
    // the same difference to core_deliver as on Blackhole.
    CostRow{&Costs::core_track_ns, "timing.link.core_track", {0, 17.5, 17.5}, {10, 18, 20}},
    // Fitted to bandwidth, Blackhole: 132 ns a packet of 128 B in one direction. Wormhole: assumed,
    // the same loop.
    CostRow{&Costs::core_poll_cycles, "timing.link.core_poll", {5, 6, 12}, {5, 6, 8}},
    // Wormhole: tt-metal issue 51031, invalidate_l1_cache has nothing to do. Blackhole:
    // tt-isa-documentation, BlackholeA0/TensixTile/BabyRISCV/CSRs.md: 0.8 % of loads flush the data
    // cache.
    CostRow{&Costs::core_loads_until_flush, "timing.link.core_loads_until_flush", Range::exactly(0),
            Range::exactly(128)},
};

}  // namespace

UnreplayedBounds unreplayed_costs(std::string_view architecture) {
    UnreplayedBounds bounds;
    for (const CostRow& row : kRows) {
        const Range& range = architecture == "wormhole" ? row.wormhole : row.blackhole;
        bounds.low.*row.member = range.low;
        bounds.expected.*row.member = range.stated;
        bounds.high.*row.member = range.high;
    }
    return bounds;
}

std::vector<UnreplayedCosts> draw_costs(const UnreplayedBounds& bounds, std::uint32_t count) {
    std::vector<UnreplayedCosts> draws(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        for (const CostRow& row : kRows) {
            draws[i].*row.member = config::drawn_number(
                {bounds.low.*row.member, bounds.expected.*row.member, bounds.high.*row.member},
                config::draw_place(std::string(row.name), count, i));
        }
    }
    return draws;
}

}  // namespace tessera::score
