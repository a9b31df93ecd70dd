// SPDX-License-Identifier: Apache-2.0
#include "ops/all_reduce/all_reduce.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ops/shared/exchange/ring.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/ops/all_reduce/mesh_sum.hpp"
#include "tests/ops/held_values.hpp"
#include "tests/shipped_arch.hpp"

namespace tessera {
namespace {

using ops::PartialSums;

using ops::all_reduce::kSpec;
using testing::from_bf16;
using testing::MeshSum;
using testing::random_inputs;
using testing::small_arch;
using testing::test_arch;
using testing::to_bf16;

MeshSpec mesh_of(std::uint32_t rows, std::uint32_t columns, Topology topology = Topology::Line) {
    return {.shape = {rows, columns}, .topology = topology, .device = "test_arch"};
}

// Returns the sum of one element over the devices from ring position `start` on, rounded as stated.
std::uint16_t sum_from(const std::vector<HostTensor>& inputs,
                       const std::vector<ops::exchange::RingPlace>& ring, std::size_t start,
                       std::size_t element, PartialSums partial_sums) {
    float sum = 0;
    for (std::size_t i = 0; i < ring.size(); ++i) {
        const std::uint32_t device = ring[(start + i) % ring.size()].device;
        const float value = from_bf16(inputs[device].as<std::uint16_t>()[element]);
        sum = i == 0 ? value : sum + value;
        if (partial_sums == PartialSums::Bf16) {
            sum = from_bf16(to_bf16(sum));
        }
    }
    return to_bf16(sum);
}

double largest_error(const HostTensor& test, const HostTensor& reference) {
    const auto bits = test.as<std::uint16_t>();
    const auto expected = reference.as<float>();
    double square = 0;
    for (const float value : expected) {
        square += double{value} * value;
    }
    const double rms = std::sqrt(square / static_cast<double>(expected.size()));
    double largest = 0;
    for (std::size_t i = 0; i < bits.size(); ++i) {
        const double error = std::abs(double{from_bf16(bits[i])} - expected[i]);
        largest = std::max(largest, error / std::max(std::abs(double{expected[i]}), rms));
    }
    return largest;
}

struct Case {
    const char* name;
    MeshSpec mesh;
    Shape shape;
    std::uint32_t cb_depth;
};

class AllReduce : public ::testing::TestWithParam<Case> {};

TEST_P(AllReduce, GivesTheSumOnEachDeviceAsTheSameBytes) {
    const Case& c = GetParam();
    const auto inputs = random_inputs(c.mesh.shape.num_devices(), c.shape);
    MeshSum sum(c.mesh, test_arch());
    sum.schedule.cb_depth = c.cb_depth;

    const auto results = sum.run(inputs);

    EXPECT_LE(largest_error(results[0], ops::all_reduce::op().reference(
                                            testing::HeldStep(nullptr, {inputs}).at())[0]),
              kSpec.tolerance.max_relative_error);
    for (const HostTensor& result : results) {
        EXPECT_EQ(result.bytes, results[0].bytes);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, AllReduce,
    ::testing::Values(Case{"OneDevice", mesh_of(1, 1), {3, 72}, 2},
                      Case{"OneDeviceLongRows", mesh_of(1, 1), {70, 5000}, 2},
                      Case{"OneElement", mesh_of(1, 2), {1, 1}, 1},
                      Case{"OneShortRow", mesh_of(1, 2), {1, 72}, 2},
                      Case{"JustBelowATile", mesh_of(1, 2), {1, 1023}, 2},
                      Case{"OneTile", mesh_of(1, 4), {1, 1024}, 2},
                      Case{"JustAboveATile", mesh_of(1, 4), {1, 1025}, 2},
                      Case{"UnalignedRows", mesh_of(1, 4), {33, 71}, 2},
                      Case{"ManyRowsOfOne", mesh_of(1, 3), {100, 1}, 2},
                      Case{"ManyRounds", mesh_of(1, 4), {64, 2048}, 1},
                      Case{"UnevenChunks", mesh_of(1, 8), {37, 1000}, 3},
                      Case{"DeepBuffers", mesh_of(1, 4), {32, 2048}, 16},
                      Case{"ColumnOfThree", mesh_of(3, 1), {20, 96}, 2},
                      Case{"ClosedRing", mesh_of(1, 8, Topology::Ring), {16, 2048}, 2},
                      Case{"TwoByFour", mesh_of(2, 4), {16, 2048}, 2},
                      Case{"ThreeByThree", mesh_of(3, 3), {17, 300}, 2},
                      Case{"Torus", mesh_of(2, 3, Topology::Torus), {17, 300}, 2}),
    [](const auto& row) { return row.param.name; });

class AllReduceOrder : public ::testing::TestWithParam<PartialSums> {};

TEST_P(AllReduceOrder, IsThatOfTheRingFromTheChunksOwnPlace) {
    const MeshSpec mesh = mesh_of(2, 2);
    const auto ring = ops::exchange::make_ring(mesh);
    const auto inputs = random_inputs(4, {4, 1024});
    MeshSum sum(mesh, testing::make_arch(1, 1));
    sum.schedule.partial_sums = GetParam();

    const auto results = sum.run(inputs);

    // With one core and one tile per chunk, tile i is chunk i.
    const auto bits = results[0].as<std::uint16_t>();
    for (std::size_t i = 0; i < bits.size(); ++i) {
        ASSERT_EQ(bits[i], sum_from(inputs, ring, i / 1024, i, GetParam())) << "element " << i;
    }
}

INSTANTIATE_TEST_SUITE_P(PartialSums, AllReduceOrder,
                         ::testing::Values(PartialSums::Fp32, PartialSums::Bf16),
                         [](const auto& row) {
                             return row.param == PartialSums::Fp32 ? "Fp32" : "Bf16";
                         });

TEST(AllReduceLaunch, MayBeRepeated) {
    const auto inputs = random_inputs(4, {40, 200});
    MeshSum sum(mesh_of(1, 4), small_arch());
    const auto first = sum.run(inputs);

    for (int launch = 0; launch < 5; ++launch) {
        sum.session().fill(sum.outputs()[2], std::byte{0xFF});
        sum.launch();
    }

    EXPECT_EQ(sum.results()[2].bytes, first[2].bytes);
}

TEST(AllReduceLaunch, LinksCarryPartialAndFullSumsOnce) {
    // 4 devices, 16 tiles of 1024 elements: each device sends 3 chunks of 4 tiles in fp32, then 3
    // in bfloat16.
    const auto inputs = random_inputs(4, {16, 1024});
    MeshSum sum(mesh_of(1, 4), test_arch());
    sum.prepare(inputs);

    const LaunchResult result = sum.launch();

    std::vector<std::uint64_t> sent(4);
    for (const CoreActivity& core : result.cores) {
        sent[core.device] += core.bytes_linked;
    }
    EXPECT_EQ(sent, std::vector<std::uint64_t>(4, 3 * 4 * (4096 + 2048)));
    EXPECT_EQ(result.cores.size(), 4U * kLinksPerDirection);
}

struct Run {
    const char* name;
    SessionOptions options;
};

class AllReduceBytes : public ::testing::TestWithParam<Run> {};

TEST_P(AllReduceBytes, DoNotDependOnThreadsOrDelivery) {
    const auto inputs = random_inputs(8, {24, 700});
    MeshSum expected(mesh_of(1, 8), test_arch(), {.threads = 1});
    MeshSum sum(mesh_of(1, 8), test_arch(), GetParam().options);

    const auto results = sum.run(inputs);

    const auto single = expected.run(inputs);
    for (std::size_t device = 0; device < results.size(); ++device) {
        EXPECT_EQ(results[device].bytes, single[device].bytes);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Runs, AllReduceBytes,
    ::testing::Values(Run{"TwoThreads", {.threads = 2}}, Run{"FiveThreads", {.threads = 5}},
                      Run{"AtIssue", {.threads = 1, .delivery = NocDelivery::AtIssue}},
                      Run{"Random", {.threads = 1, .delivery = NocDelivery::Random, .seed = 3}},
                      Run{"RandomTwoThreads",
                          {.threads = 2, .delivery = NocDelivery::Random, .seed = 4}}),
    [](const auto& row) { return row.param.name; });

TEST(AllReduceDevices, BlackholeGivesTheBytesOfWormhole) {
    // Pages are aligned to 64 bytes on this device: rows of 71 elements end at other tile columns.
    const auto inputs = random_inputs(2, {33, 71});
    MeshSum wormhole(mesh_of(1, 2), test_arch());
    MeshSum blackhole(mesh_of(1, 2), testing::shipped_arch("blackhole_p150"));

    EXPECT_EQ(blackhole.run(inputs)[1].bytes, wormhole.run(inputs)[1].bytes);
}

TEST(AllReduceInputs, OtherElementsMayBeNaN) {
    // A NaN stays in its element: it reaches neither padding nor neighbours.
    auto inputs = random_inputs(2, {5, 40});
    inputs[1].as<std::uint16_t>()[41] = 0x7FC0;
    MeshSum sum(mesh_of(1, 2), small_arch());

    const auto results = sum.run(inputs);

    const auto bits = results[0].as<std::uint16_t>();
    for (std::size_t i = 0; i < bits.size(); ++i) {
        EXPECT_EQ(std::isnan(from_bf16(bits[i])), i == 41) << "element " << i;
    }
}

}  // namespace
}  // namespace tessera
