// SPDX-License-Identifier: Apache-2.0
// Slices that go directly to the core that sums them. Inputs are small integers, so bfloat16 sums
// are exact in any order.
#include <gtest/gtest.h>

#include "ops/reduce_scatter/reduce_scatter.hpp"
#include "tests/ops/all_reduce/mesh_sum.hpp"
#include "tests/ops/collectives/group_run.hpp"

namespace tessera {
namespace {

using ops::exchange::PartialSums;
using ops::reduce_scatter::Algorithm;
using ops::reduce_scatter::Schedule;
using testing::GroupRun;

struct Case {
    std::string name;
    MeshSpec mesh;
    std::uint32_t slice_tiles;
    Schedule schedule;
};

class DirectScatter : public ::testing::TestWithParam<Case> {};

// Returns −4 to 9.
float value(std::uint32_t device, std::size_t i) {
    return static_cast<float>((i * 7 + device * 5) % 14) - 4.0F;
}

TEST_P(DirectScatter, LeavesEachDeviceTheSumOfItsSlice) {
    const Case& c = GetParam();
    const std::uint32_t devices = c.mesh.shape.num_devices();
    const Shape shape{devices * c.slice_tiles * kTileRows, 32};
    std::vector<HostTensor> inputs;
    for (std::uint32_t device = 0; device < devices; ++device) {
        inputs.push_back(make_host_tensor(shape, DataFormat::Float16_b));
        std::size_t i = 0;
        for (std::uint16_t& word : inputs.back().as<std::uint16_t>()) {
            word = testing::to_bf16(value(device, i++));
        }
    }
    GroupRun run(ops::reduce_scatter::op(), c.mesh, testing::all_of(c.mesh));
    run.params<Schedule>() = c.schedule;
    run.add(inputs, Layout::TILE);

    run.launch();

    const std::size_t slice = inputs[0].as<std::uint16_t>().size() / devices;
    for (std::uint32_t device = 0; device < devices; ++device) {
        const HostTensor sums = run.output(device);
        for (std::size_t i = 0; i < slice; ++i) {
            float sum = 0;
            for (std::uint32_t from = 0; from < devices; ++from) {
                sum += value(from, device * slice + i);
            }
            ASSERT_EQ(testing::from_bf16(sums.as<std::uint16_t>()[i]), sum)
                << "device " << device << " element " << i;
        }
    }
}

MeshSpec line(std::uint32_t devices) {
    return {{1, devices}, Topology::Line, "wormhole_n150"};
}
MeshSpec ring(std::uint32_t devices) {
    return {{1, devices}, Topology::Ring, "wormhole_n150"};
}
constexpr Schedule kOneLink{.links = 1, .algorithm = Algorithm::Direct};

INSTANTIATE_TEST_SUITE_P(
    Shapes, DirectScatter,
    ::testing::Values(Case{"OneDevice", line(1), 2, kOneLink},
                      Case{"TwoOfATileEach", line(2), 1, kOneLink},
                      Case{"ThreeOnALineAChunkEach", line(3), 8, kOneLink},
                      Case{"ThreeOnARingAChunkAndATile", ring(3), 9, kOneLink},
                      Case{"FourOnARingFewerTilesThanLinks", ring(4), 3,
                           Schedule{.links = 4, .algorithm = Algorithm::Direct}},
                      Case{"FiveInAColumn", {{5, 1}, Topology::Line, "wormhole_n150"}, 7, kOneLink},
                      Case{"EightOnARingTwoLinks", ring(8), 19,
                           Schedule{.links = 2, .algorithm = Algorithm::Direct, .packet_tiles = 2}},
                      Case{"EightOnARingInFp32", ring(8), 5,
                           Schedule{.links = 1,
                                    .algorithm = Algorithm::Direct,
                                    .partial_sums = PartialSums::Fp32}}),
    [](const auto& c) { return c.param.name; });

std::string refusal(const Shape& shape, const Schedule& schedule) {
    GroupRun run(ops::reduce_scatter::op(), ring(4), {0, 1, 2, 3});
    run.params<Schedule>() = schedule;
    run.add(std::vector(4, make_host_tensor(shape, DataFormat::Float16_b)), Layout::TILE);
    return run.message();
}

TEST(DirectScatterErrors, AWorkerForEachLink) {
    EXPECT_EQ(refusal({128, 32}, {.links = 1, .workers = 2, .algorithm = Algorithm::Direct}),
              "workers is 2, but direct does not use it; allowed: 1, its default");
}

TEST(DirectScatterErrors, ACbDepthThatItDoesNotTake) {
    EXPECT_EQ(refusal({128, 32}, {.links = 1, .cb_depth = 4, .algorithm = Algorithm::Direct}),
              "cb_depth is 4, but direct does not use it; allowed: 2, its default");
}

// 1024 tiles arrive, and 16 tiles each are sent and summed.
TEST(DirectScatterErrors, WhatArrivesFitsIntoL1) {
    EXPECT_EQ(refusal({1024, 1024}, kOneLink),
              "input is (1024,1024) bfloat16 TILE; a core holds 2162688 B of that with links 1, "
              "and has 1395424 B of L1 for them");
}

}  // namespace
}  // namespace tessera
