// SPDX-License-Identifier: Apache-2.0
// Predicted times of collectives that have the links to themselves, against closed forms.
#include <gtest/gtest.h>

#include "ops/all_gather/all_gather.hpp"
#include "ops/all_reduce/all_reduce.hpp"
#include "ops/all_to_all/all_to_all.hpp"
#include "ops/broadcast/broadcast.hpp"
#include "ops/reduce_scatter/reduce_scatter.hpp"
#include "tests/ops/collectives/group_run.hpp"

namespace tessera {
namespace {

using testing::GroupRun;

constexpr double kUnitBytes = 2048;
constexpr double kUnitsOfAPacket = 3;

const LinkTiming& link() {
    return testing::wormhole().timing.expected.link;
}
/// At 1 GHz a nanosecond is a cycle.
double cycles(Seconds time) {
    return time.value * 1e9;
}
double wire(double payload) {
    const double bytes = payload + static_cast<double>(link().packet_overhead.value);
    const double frames = std::ceil(bytes / static_cast<double>(link().frame.value));
    return (bytes + frames * static_cast<double>(link().frame_overhead.value)) /
           (link().rate.value / 1e9);
}
/// A slice of so many units in packets of three.
double slice_wire(double units) {
    const double full = std::floor(units / kUnitsOfAPacket);
    const double rest = units - full * kUnitsOfAPacket;
    return full * wire(kUnitsOfAPacket * kUnitBytes) + (rest > 0 ? wire(rest * kUnitBytes) : 0);
}
/// Connections are opened and closed one after the other; then the grant of slots crosses a link,
/// and the last packet does.
double latency(std::uint32_t connections, std::uint32_t crossings) {
    return connections * (cycles(link().open) + cycles(link().close)) +
           crossings * (cycles(link().hop_latency) + cycles(link().deliver_slot));
}

double predicted(GroupRun& run) {
    run.launch();
    return static_cast<double>(device_time(run.timeline())) / 1000;
}

void expect_within_5_percent(double time, double closed_form) {
    EXPECT_GE(time, closed_form);
    EXPECT_LE(time, 1.05 * closed_form);
}

GroupRun run_of(const ops::Op& op, std::uint32_t devices) {
    const MeshSpec mesh{{1, devices}, Topology::Torus, "wormhole_n150"};
    return {op,
            mesh,
            testing::all_of(mesh),
            {.threads = 2, .trace = TraceMode::On, .maths = Maths::Off}};
}

constexpr std::uint32_t kUnits = 1536;  // 3 MiB

class LinkTime : public ::testing::TestWithParam<std::uint32_t> {};

// D − 1 slices over the one link to the east.
TEST_P(LinkTime, OfAllGatherOneWayRound) {
    GroupRun run = run_of(ops::all_gather::op(), GetParam());
    run.params<ops::all_gather::Schedule>() = {.links = 1,
                                               .algorithm = ops::all_gather::Algorithm::Ring};
    run.add(make_host_tensor({kUnits, 1024}, DataFormat::Float16_b));
    expect_within_5_percent(predicted(run), latency(2, 2) + (GetParam() - 1) * slice_wire(kUnits));
}

// Half of D − 1 slices each way.
TEST_P(LinkTime, OfAllGatherBothWaysRound) {
    GroupRun run = run_of(ops::all_gather::op(), GetParam());
    run.params<ops::all_gather::Schedule>() = {
        .links = 1, .algorithm = ops::all_gather::Algorithm::Bidirectional};
    run.add(make_host_tensor({kUnits, 1024}, DataFormat::Float16_b));
    expect_within_5_percent(predicted(run),
                            latency(2, 2) + (GetParam() - 1) * slice_wire(kUnits / 2));
}

TEST_P(LinkTime, OfReduceScatterBothWaysRound) {
    GroupRun run = run_of(ops::reduce_scatter::op(), GetParam());
    run.params<ops::reduce_scatter::Schedule>() = {
        .links = 1, .algorithm = ops::reduce_scatter::Algorithm::Bidirectional};
    run.add(make_host_tensor({kUnits * GetParam(), 1024}, DataFormat::Float16_b));
    expect_within_5_percent(predicted(run),
                            latency(2, 2) + (GetParam() - 1) * slice_wire(kUnits / 2));
}

INSTANTIATE_TEST_SUITE_P(Devices, LinkTime, ::testing::Values(3, 4, 8));

// Half of the tensor each way round, from device 0 to the one before it: D − 2 devices pass it on.
TEST(LinkTimeOnEight, OfBroadcast) {
    GroupRun run = run_of(ops::broadcast::op(), 8);
    run.params<ops::broadcast::BroadcastSpec>() = {.links = 1};
    run.add(make_host_tensor({8 * kUnits, 1024}, DataFormat::Float16_b));
    expect_within_5_percent(predicted(run), latency(2, 8) + slice_wire(4 * kUnits));
}

// 8²/8 parts of 64 rows each way, one packet a row, over four links.
TEST(LinkTimeOnEight, OfAllToAll) {
    GroupRun run = run_of(ops::all_to_all::op(), 8);
    run.add(make_host_tensor({8 * 256, 2048}, DataFormat::Float16_b));
    expect_within_5_percent(predicted(run), latency(1, 2) + 8 * 256 / 4 * wire(4096));
}

}  // namespace
}  // namespace tessera
