// SPDX-License-Identifier: Apache-2.0
#include "ops/reduce_scatter/reduce_scatter.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <string>

#include "runtime/session/emulated_session.hpp"
#include "tessera/errors.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/ops/held_values.hpp"

namespace tessera {
namespace {

using ops::reduce_scatter::Schedule;

class MeshScatter {
public:
    MeshScatter(MeshSpec mesh, const Shape& shape, const SessionOptions& options = {.threads = 1})
        : session(mesh, testing::test_arch(), options) {
        const std::uint32_t devices = mesh.shape.num_devices();
        const TensorSpec input{shape, DataFormat::Float16_b, Layout::TILE};
        const TensorSpec output{{shape[0] / devices, shape[1]}, input.format, input.layout};
        std::mt19937 random(7);
        for (std::uint32_t device = 0; device < devices; ++device) {
            inputs.push_back(make(device, "input", input));
            outputs.push_back(make(device, "output", output));
            forward.push_back(make(device, "forward", input));
            backward.push_back(make(device, "backward", input));
            values.push_back(small_integers(shape, random));
            session.write(inputs.back(), values.back());
        }
    }

    void launch() {
        session.launch("reduce_scatter",
                       ops::call_programs(ops::reduce_scatter::op(), session.arch(), session.mesh(),
                                          {&schedule, {inputs}, {outputs}, {forward, backward}}));
    }

    EmulatedSession session;
    Schedule schedule;
    std::vector<DeviceTensor> inputs, outputs, forward, backward;
    std::vector<HostTensor> values;

private:
    // Sums of up to eight of these are bfloat16 numbers, so results are exact.
    static HostTensor small_integers(const Shape& shape, std::mt19937& random) {
        HostTensor tensor = make_host_tensor(shape, DataFormat::Float16_b);
        for (std::uint16_t& value : tensor.as<std::uint16_t>()) {
            const auto number = static_cast<float>(static_cast<int>(random() % 31) - 15);
            value = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(number) >> 16U);
        }
        return tensor;
    }
    DeviceTensor make(std::uint32_t device, const std::string& name, const TensorSpec& spec) {
        DeviceTensor tensor = session.allocate(device, name, spec, BufferType::DRAM);
        session.fill(tensor, std::byte{0xFF});
        return tensor;
    }
};

void expect_sums(MeshScatter& mesh) {
    for (std::uint32_t device = 0; device < mesh.outputs.size(); ++device) {
        const HostTensor result = mesh.session.read(mesh.outputs[device]);
        const auto words = result.as<std::uint16_t>();
        for (std::size_t i = 0; i < words.size(); ++i) {
            float sum = 0;
            for (const HostTensor& value : mesh.values) {
                sum += std::bit_cast<float>(
                    std::uint32_t{value.as<std::uint16_t>()[device * words.size() + i]} << 16U);
            }
            ASSERT_EQ(std::bit_cast<float>(std::uint32_t{words[i]} << 16U), sum)
                << "device " << device << " element " << i;
        }
    }
}

struct Case {
    std::string name;
    MeshShape mesh;
    Shape shape;
    Schedule schedule;
};

class ReduceScatter : public ::testing::TestWithParam<Case> {};

TEST_P(ReduceScatter, LeavesEachDeviceTheSumOfItsSlice) {
    const Case& c = GetParam();
    MeshScatter mesh({c.mesh, Topology::Line, "test_arch"}, c.shape);
    mesh.schedule = c.schedule;

    mesh.launch();

    expect_sums(mesh);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, ReduceScatter,
    ::testing::Values(Case{"OneDevice", {1, 1}, {32, 40}, {}}, Case{"Two", {1, 2}, {64, 160}, {}},
                      Case{"ThreeInAColumn", {3, 1}, {96, 300}, {2, 2, 3, 1}},
                      Case{"EightTwoLinks", {1, 8}, {512, 96}, {2, 1, 2, 2}},
                      Case{"FourThatAllStartFirst",
                           {1, 4},
                           {256, 96},
                           {.links = 2, .start = ops::reduce_scatter::Start::All}},
                      Case{"FewerTilesThanLinks", {1, 4}, {128, 32}, {4, 2, 4, 2}}),
    [](const auto& c) { return c.param.name; });

TEST(ReduceScatterBytes, AreTheSameForAnyNumberOfThreadsAndOrderOfDelivery) {
    for (const std::uint32_t threads : {1U, 2U, 5U}) {
        for (const NocDelivery delivery :
             {NocDelivery::AtIssue, NocDelivery::AtBarrier, NocDelivery::Random}) {
            MeshScatter mesh({{1, 4}, Topology::Line, "test_arch"}, {128, 96},
                             {.threads = threads, .delivery = delivery, .seed = 3});
            mesh.launch();
            expect_sums(mesh);
        }
    }
}

TEST(ReduceScatterReference, AddsTheSliceOfTheDevice) {
    std::vector<HostTensor> inputs;
    for (const std::uint16_t one : {std::uint16_t{0x3F80}, std::uint16_t{0x4000}}) {  // 1.0 and 2.0
        inputs.push_back(make_host_tensor({2, 1}, DataFormat::Float16_b));
        inputs.back().as<std::uint16_t>()[1] = one;
    }
    const testing::HeldStep step(nullptr, {inputs});
    const HostTensor sum = ops::reduce_scatter::op().reference(step.at(1)).at(0);
    EXPECT_EQ(sum.shape, (Shape{1, 1}));
    EXPECT_EQ(sum.as<float>()[0], 3.0F);
}

TEST(ReduceScatterErrors, RowsDoNotSplit) {
    MeshScatter mesh({{1, 2}, Topology::Line, "test_arch"}, {96, 32});
    try {
        mesh.launch();
        FAIL();
    } catch (const UsageError& error) {
        EXPECT_STREQ(error.what(),
                     "reduce_scatter: input is (96,32) bfloat16 TILE; allowed: a multiple of 64 "
                     "rows, whole tiles for each of 2 devices");
    }
}

TEST(ReduceScatterErrors, SyncTilesIsZero) {
    MeshScatter mesh({{1, 2}, Topology::Line, "test_arch"}, {64, 32});
    mesh.schedule.sync_tiles = 0;
    try {
        mesh.launch();
        FAIL();
    } catch (const UsageError& error) {
        EXPECT_STREQ(error.what(), "reduce_scatter: sync_tiles is 0; allowed: at least 1");
    }
}

}  // namespace
}  // namespace tessera
