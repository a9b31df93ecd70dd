// SPDX-License-Identifier: Apache-2.0
#include "ops/moe_v2/moe_v2.hpp"

#include <gtest/gtest.h>

#include "ops/moe_v2/verify.hpp"
#include "runtime/config/load.hpp"
#include "tests/ops/moe_v2/golden_layer.hpp"

namespace tessera {
namespace {

using ops::moe_v2::Keep;
using ops::moe_v2::Step;
using ops::moe_v2::StepCheck;
using ops::moe_v2::StepKind;
using ops::moe_v2::StepPlan;
using testing::default_ops;
using testing::GarbageSession;
using testing::GoldenLayer;

const MeshSpec kTwoDevices{.shape = {1, 2}, .topology = Topology::Line, .device = "test_arch"};
constexpr ops::Tolerance kClose{.max_relative_error = 0.01, .min_pcc = 0.9999};

struct Variant {
    const char* name;
    SessionOptions options;
};

class MoeV2Bytes : public ::testing::TestWithParam<Variant> {};

TEST_P(MoeV2Bytes, DoNotDependOnThreadsOrDelivery) {
    const GoldenLayer layer("v2_d2_uneven");
    const auto expected = run_layer(layer, default_ops(), {.threads = 1});

    const auto outputs = run_layer(layer, default_ops(), GetParam().options);

    for (const auto& [name, tensor] : expected) {
        EXPECT_EQ(outputs.at(name).bytes, tensor.bytes) << name;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Runs, MoeV2Bytes,
    ::testing::Values(Variant{"TwoThreads", {.threads = 2}}, Variant{"FiveThreads", {.threads = 5}},
                      Variant{"AtIssue", {.threads = 1, .delivery = NocDelivery::AtIssue}},
                      Variant{"Random",
                              {.threads = 2, .delivery = NocDelivery::Random, .seed = 11}}),
    [](const auto& row) { return row.param.name; });

TEST(MoeV2Schedules, GiveTheSameBytesOnOneCoreAndOnAll) {
    const GoldenLayer layer("v2_d4_zipf");
    OpsSpec single = default_ops();
    single.moe_bmm.schedule = BmmSchedule::SingleCore;

    const auto on_one = run_layer(layer, single, {.threads = 1});

    const auto on_all = run_layer(layer, default_ops(), {.threads = 1});
    EXPECT_EQ(on_one.at("d0.final").bytes, on_all.at("d0.final").bytes);
}

TEST(MoeV2Devices, BlackholeGivesTheBytesOfWormhole) {
    const GoldenLayer layer("v2_d2_uneven");
    const auto expected = run_layer(layer, default_ops(), {.threads = 1});

    const auto outputs =
        run_layer(layer, default_ops(), {.threads = 2},
                  config::load_arch(TESSERA_SOURCE_DIR "/configs/arch/blackhole_p150.yaml").arch);

    EXPECT_EQ(outputs.at("d1.final").bytes, expected.at("d1.final").bytes);
}

TEST(MoeV2Steps, AreElevenOrTenWithAFusedActivation) {
    OpsSpec fused = default_ops();
    fused.activation.schedule = ActivationSchedule::Fused;

    EXPECT_EQ(ops::moe_v2::plan_steps(default_ops()).size(), 11U);
    EXPECT_EQ(ops::moe_v2::plan_steps(fused).size(), 10U);
}

TEST(MoeV2Steps, AreAnnouncedInOrderAndCounted) {
    const GoldenLayer layer("v2_d2_uneven");
    GarbageSession session(kTwoDevices, testing::test_arch(), {.threads = 1});
    std::string announced;
    std::uint32_t last = 0;

    ops::moe_v2::run(session, layer.inputs(), default_ops(),
                     {.before =
                          [&](const StepPlan& plan, std::uint32_t number, std::uint32_t count) {
                              announced += std::string(plan.name) + " ";
                              EXPECT_EQ(number, ++last);
                              EXPECT_EQ(count, 11U);
                          },
                      .after = {}});

    EXPECT_EQ(announced,
              "prepare_routing scatter to_tile gate up silu mul down to_row_major local_reduce "
              "all_reduce ");
}

TEST(MoeV2Steps, CountTilesOfRoutedTokensOnly) {
    // H' is 96, three tiles; tokens of each expert fill whole rows of tiles.
    const GoldenLayer layer("v2_d2_uneven");
    GarbageSession session(kTwoDevices, testing::test_arch(), {.threads = 1});
    std::uint64_t expected = 0;
    std::uint64_t packed = 0;
    std::uint64_t tiles = 0;

    ops::moe_v2::run(session, layer.inputs(), default_ops(),
                     {.before = {}, .after = [&](const Step& step) {
                          if (step.plan->kind != StepKind::Gate) {
                              return;
                          }
                          for (const auto& counts : step.num_routed_tokens) {
                              for (const std::uint32_t count : counts) {
                                  expected += (count + 31) / 32 * 3;
                              }
                          }
                          tiles = step.output_tiles;
                          for (const CoreActivity& core : step.launch.cores) {
                              packed += core.tiles_packed;
                          }
                      }});

    EXPECT_EQ(tiles, expected);
    EXPECT_EQ(packed, expected);
}

TEST(MoeV2Tensors, AllButTheResultAreFreed) {
    const GoldenLayer layer("v2_d2_uneven");
    GarbageSession session(kTwoDevices, testing::test_arch(), {.threads = 1});

    const auto devices = ops::moe_v2::run(session, layer.inputs(), default_ops());

    EXPECT_EQ(session.num_tensors(), 2);
    EXPECT_EQ(devices[1].size(), 1U);
    EXPECT_EQ(devices[1].count("final"), 1U);
}

TEST(MoeV2Tensors, AllStayIfTheCallerWants) {
    const GoldenLayer layer("v2_d2_uneven");
    GarbageSession session(kTwoDevices, testing::test_arch(), {.threads = 1});

    const auto devices = ops::moe_v2::run(session, layer.inputs(), default_ops(), {}, Keep::All);

    EXPECT_EQ(devices[0].size(), 7U + 14U);
    EXPECT_EQ(devices[0].count("silu"), 1U);
}

TEST(MoeV2Verify, EveryStepOfAGoldenLayerPasses) {
    const GoldenLayer layer("v2_d2_uneven");
    GarbageSession session(kTwoDevices, testing::test_arch(), {.threads = 2});
    const OpsSpec ops = default_ops();
    std::uint32_t num_verified = 0;

    ops::moe_v2::run(session, layer.inputs(), ops,
                     {.before = {}, .after = [&](const Step& step) {
                          const StepCheck check = verify_step(session, step, ops, kClose);
                          EXPECT_TRUE(check.passed()) << step.plan->name << ": " << check.failure;
                          EXPECT_GT(check.num_elements, 0U) << step.plan->name;
                          ++num_verified;
                      }});

    EXPECT_EQ(num_verified, 11U);
}

// Runs the layer, spoils one byte of a step's output before the step is verified.
StepCheck check_of_spoiled(StepKind kind, std::string_view name, std::size_t byte,
                           std::byte value) {
    const GoldenLayer layer("v2_d2_uneven");
    GarbageSession session(kTwoDevices, testing::test_arch(), {.threads = 1});
    const OpsSpec ops = default_ops();
    StepCheck check;
    ops::moe_v2::run(session, layer.inputs(), ops,
                     {.before = {}, .after = [&](const Step& step) {
                          if (step.plan->kind != kind) {
                              return;
                          }
                          const DeviceTensor& tensor = step.devices[1].find(name)->second;
                          HostTensor values = session.read(tensor);
                          const HostTensor original = values;
                          values.bytes[byte] = value;
                          session.write(tensor, values);
                          check = verify_step(session, step, ops, kClose);
                          session.write(tensor, original);
                      }});
    return check;
}

TEST(MoeV2Verify, AWrongTableEntryIsNamed) {
    // Local expert 1 of device 1 is global expert 5, which every token selects.
    const StepCheck check =
        check_of_spoiled(StepKind::PrepareRouting, "routed_tokens", (40 + 7) * 4, std::byte{99});

    EXPECT_EQ(check.failure, "routed_tokens of device 1 at (1,7) is not what the reference has");
}

TEST(MoeV2Verify, PaddingOfATableDoesNotCount) {
    // Local expert 3 of device 1 is global expert 7, which no token selects.
    const StepCheck check =
        check_of_spoiled(StepKind::PrepareRouting, "routed_tokens", 3 * 40 * 4, std::byte{99});

    EXPECT_EQ(check.failure, "");
}

TEST(MoeV2Verify, AValueThatIsFarOffIsNamed) {
    // The upper byte of element (1,2,5) becomes that of a number near 2^65.
    const StepCheck check =
        check_of_spoiled(StepKind::Gate, "gate", ((40 + 2) * 96 + 5) * 2 + 1, std::byte{0x60});

    EXPECT_NE(check.failure.find("first beyond: gate of device 1 at (1,2,5): "), std::string::npos)
        << check.failure;
    EXPECT_GT(check.max_relative_error, 1.0);
}

TEST(MoeV2Verify, DevicesThatDisagreeOnTheSumAreNamed) {
    const StepCheck check = check_of_spoiled(StepKind::AllReduce, "final", 5, std::byte{0x60});

    EXPECT_EQ(check.failure, "device 1 holds other bytes than device 0");
}

}  // namespace
}  // namespace tessera
