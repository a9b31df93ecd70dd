// SPDX-License-Identifier: Apache-2.0
// Packets over one Ethernet link, sent by kernels on the Ethernet cores.
// Source   tt-metal tests/tt_metal/microbenchmarks/ethernet.
#include "bench/accuracy/bench.hpp"
#include "bench/accuracy/programs/ethernet_ends.hpp"
#include "bench/accuracy/programs/families.hpp"
#include "bench/accuracy/units.hpp"

namespace tessera::score {
namespace {

constexpr double kNanosecond = 1e-9;
constexpr std::uint32_t kStreamPackets = 256 * 16;  // as in the benchmark: 256 through each slot

/// Returns the round-trip time of one packet at its sender. The packet crosses the wire twice,
/// because the responder needs all of it before it can answer.
Prediction echo_time(const Row& row, const Parameters& parameters, const Model& model) {
    const double bytes = parameters.count("bytes_per_packet");
    const auto cycles = [&](const TimingSpec& timing, const UnreplayedCosts& costs) {
        const double seconds = costs.core_latency_ns * kNanosecond + bytes / timing.link.rate.value;
        return 2 * seconds * timing.clock.value;
    };
    return as_time(row,
                   Prediction::within(cycles(model.timing.low, model.costs.low),
                                      cycles(model.timing.expected, model.costs.expected),
                                      cycles(model.timing.high, model.costs.high)),
                   model);
}

Receiver receiver_of(const Row& row, const Parameters& parameters) {
    if (!parameters.flag_or("receiver_writes_worker", false)) {
        return Receiver::Keeps;
    }
    return row.workload.ends_with("no trid") ? Receiver::WritesAndFlushes
                                             : Receiver::WritesByTransaction;
}

/// Returns the rate of back-to-back packets from one sender or from both ends.
Prediction stream_rate(const Row& row, const Parameters& parameters, const Model& model) {
    const EthernetStream stream{.packet_bytes = parameters.count("bytes_per_packet"),
                                .num_packets = kStreamPackets,
                                .directions = parameters.flag_or("bidirectional", false)
                                                  ? Directions::BothWays
                                                  : Directions::OneWay,
                                .receiver = receiver_of(row, parameters)};
    const Prediction cycles = drawn_cycles(
        model, timing::Regime::Links, [&](const TimingSpec& timing, const UnreplayedCosts& costs) {
            return duration_of(stream, timing, costs).value * timing.clock.value;
        });
    return as_bandwidth(row, double{kStreamPackets} * stream.packet_bytes, cycles, model);
}

}  // namespace

Prediction predict_link_stream(const Row& row, const Parameters& parameters, const Model& model) {
    if (row.workload.starts_with("Ethernet link sender latency")) {
        expressible(parameters.count_or("packets", 1) == 1, "the latency of {} packets",
                    parameters.text("packets"));
        return echo_time(row, parameters, model);
    }
    expressible(row.workload.starts_with("Ethernet link stream"),
                "workload {}: neither a stream nor the latency of one packet", row.workload);
    return stream_rate(row, parameters, model);
}

}  // namespace tessera::score
