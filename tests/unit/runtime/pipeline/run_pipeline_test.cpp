// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/run_pipeline.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <optional>

#include "runtime/config/load.hpp"
#include "tests/scratch_folder.hpp"

namespace tessera::pipeline {
namespace {

namespace fs = std::filesystem;

const fs::path kConfigs = fs::path(TESSERA_SOURCE_DIR) / "configs";

/// Returns a run file of steps that scale tensors, whose values are easy to predict.
std::string scaling(const std::string& mesh, const std::string& tensors, const std::string& steps) {
    return "mesh: {device: wormhole_n150, shape: " + mesh + "}\n" + "tensors:\n" + tensors +
           "steps:\n" + steps;
}

constexpr const char* kOnes =
    "  x: {shape: [33, 48], dtype: bfloat16, layout: tile, origin: {constant: 1}}\n";

class Pipeline : public ::testing::Test {
protected:
    [[nodiscard]] config::LoadedRun load(const std::string& text,
                                         const std::vector<std::string>& sets = {}) const {
        const std::array folders{kConfigs};
        return config::load_run(folder_.write("run.yaml", text), sets, folders);
    }
    [[nodiscard]] static config::LoadedRun shipped(const std::string& name,
                                                   const std::vector<std::string>& sets = {}) {
        const std::array folders{kConfigs};
        return config::load_run(kConfigs / "runs" / (name + ".yaml"), sets, folders);
    }
    report::RunRecord run(const config::LoadedRun& loaded) {
        SafetensorsWriter outputs(folder_.file("out.safetensors"), output_tensors(loaded));
        RunFiles files;
        files.outputs = &outputs;
        report::RunRecord record = run_pipeline(loaded, {}, files);
        outputs.finish();
        results_.emplace(folder_.file("out.safetensors"));
        return record;
    }
    /// Returns the value of every element of a constant tensor, or nothing.
    [[nodiscard]] std::optional<float> constant(const std::string& name) const {
        const HostTensor tensor = results_->read(name);
        const auto bits = tensor.as<std::uint16_t>();
        const bool is_constant =
            std::ranges::all_of(bits, [&](std::uint16_t b) { return b == bits[0]; });
        return is_constant ? std::optional(std::bit_cast<float>(std::uint32_t{bits[0]} << 16U))
                           : std::nullopt;
    }

    ScratchFolder folder_;
    std::optional<SafetensorsFile> results_;
};

TEST_F(Pipeline, GivesEachDeviceItsOutputsUnderItsNumber) {
    const auto record = run(load(scaling(
        "[1, 2]", kOnes, "  - {name: s, op: scale, in: [x], out: [y], set: {factor: 3}}\n")));

    EXPECT_TRUE(report::failed_steps(record).empty());
    EXPECT_EQ(constant("d0.y"), 3.0F);
    EXPECT_EQ(constant("d1.y"), 3.0F);
}

TEST_F(Pipeline, RepeatsStepsWithTheCounterInTheirNames) {
    const auto record = run(load(scaling("[1, 1]",
                                         "  x_0: {shape: [33, 48], dtype: bfloat16, layout: tile, "
                                         "origin: {constant: 1}}\n",
                                         "  - name: layers\n"
                                         "    repeat: {l: 3}\n"
                                         "    steps:\n"
                                         "      - name: double_${l}\n"
                                         "        op: scale\n"
                                         "        in: [\"x_${l}\"]\n"
                                         "        out: [\"x_${l + 1}\"]\n"
                                         "        set: {factor: 2}\n")));

    ASSERT_EQ(record.steps.size(), 3U);
    EXPECT_EQ(record.steps[2].name, "double_2");
    EXPECT_EQ(constant("d0.x_3"), 8.0F);
}

TEST_F(Pipeline, LeavesOutStepsWhoseConditionDoesNotHold) {
    const std::string text =
        "params: {mode: {value: a, choices: [a, b]}}\n" +
        scaling("[1, 1]", kOnes,
                "  - {name: s, when: mode == a, op: scale, in: [x], out: [y], set: {factor: 2}}\n"
                "  - {name: t, when: mode == b, op: scale, in: [x], out: [y], set: {factor: 5}}\n");

    (void)run(load(text));
    EXPECT_EQ(constant("d0.y"), 2.0F);
    (void)run(load(text, {"params.mode=b"}));
    EXPECT_EQ(constant("d0.y"), 5.0F);
}

TEST_F(Pipeline, RunsAStepOnSomeDevicesOnly) {
    (void)run(load(scaling("[2, 2]", kOnes,
                           "  - {name: s, op: scale, devices: [1, 2], in: [x], out: [y], set: "
                           "{factor: 2}}\n")));

    EXPECT_EQ(results_->find("d0.y"), nullptr);
    EXPECT_EQ(constant("d1.y"), 2.0F);
    EXPECT_EQ(constant("d2.y"), 2.0F);
}

TEST_F(Pipeline, LaunchesStepsOnDisjointCoresTogether) {
    const auto record = run(load(scaling(
        "[1, 1]", kOnes,
        "  - {name: s, op: scale, launch: both, in: [x], out: [y], set: {factor: 2, grid: [4, "
        "8]}}\n"
        "  - {name: t, op: scale, launch: both, first_core: [4, 0], in: [x], out: [z], set: "
        "{factor: 4, grid: [4, 8]}}\n")));

    EXPECT_EQ(constant("d0.y"), 2.0F);
    EXPECT_EQ(constant("d0.z"), 4.0F);
    EXPECT_EQ(record.steps.size(), 2U);
}

TEST_F(Pipeline, RefusesOneLaunchOfStepsThatUseTheSameCores) {
    const std::string text =
        scaling("[1, 1]", kOnes,
                "  - {name: s, op: scale, launch: both, in: [x], out: [y], set: {factor: 2}}\n"
                "  - {name: t, op: scale, launch: both, in: [x], out: [z], set: {factor: 4}}\n");

    EXPECT_THAT([&] { (void)load(text); },
                testing::ThrowsMessage<ConfigError>(testing::EndsWith(
                    "steps.t: shares a launch with steps that use the same cores on device 0; "
                    "separate them with first_core or a smaller grid")));
}

TEST_F(Pipeline, RefusesToMoveStepsWhoseCoresSendToEachOther) {
    EXPECT_THAT([] { (void)shipped("matmul_640", {"steps.matmul.first_core=[1, 0]"}); },
                testing::ThrowsMessage<ConfigError>(testing::EndsWith(
                    "steps.matmul.first_core: cores of this step send to each other, and their "
                    "coordinates are kernel arguments, which cannot be moved; allowed: [0, 0]")));
}

TEST_F(Pipeline, GoesOnWherePersistentTensorsOfDevicesWereLeft) {
    const config::LoadedRun loaded = load(scaling(
        "[1, 2]",
        "  own: {shape: [32, 32], dtype: bfloat16, layout: tile, distribution: each, persistent: "
        "true, origin: {constant: 1}}\n"
        "  split: {shape: [64, 32], dtype: bfloat16, layout: tile, split: {axis: 0}, "
        "persistent: true, origin: {constant: 1}}\n",
        "  - {name: a, op: scale, devices: [1], in: [own], out: [twice], set: {factor: 2}}\n"
        "  - {name: b, op: copy, devices: [1], in: [twice], out: [own]}\n"
        "  - {name: c, op: scale, devices: [0], in: [split], out: [thrice], set: {factor: 3}}\n"
        "  - {name: d, op: copy, devices: [0], in: [thrice], out: [split]}\n"));
    RunFiles files;
    for (const float power : {1.0F, 2.0F}) {
        SafetensorsWriter state(folder_.file("state.safetensors"), state_tensors(loaded));
        files.new_state = &state;
        (void)run_pipeline(loaded, {}, files);
        state.finish();
        files.state = std::make_shared<const SafetensorsFile>(folder_.file("state.safetensors"));
        const auto first_and_last = [&](const char* name) {
            const HostTensor tensor = files.state->read(name);
            const auto bits = tensor.as<std::uint16_t>();
            const auto number = [](std::uint16_t b) {
                return std::bit_cast<float>(std::uint32_t{b} << 16U);
            };
            return std::pair(number(bits.front()), number(bits.back()));
        };
        EXPECT_EQ(first_and_last("d0.own"), std::pair(1.0F, 1.0F));
        EXPECT_EQ(first_and_last("d1.own"), std::pair(2 * power, 2 * power));
        EXPECT_EQ(first_and_last("split"), std::pair(power == 1 ? 3.0F : 9.0F, 1.0F));
    }
}

TEST_F(Pipeline, GoesOnWherePersistentTensorsWereLeft) {
    const std::string text = scaling(
        "[1, 1]",
        "  cache: {shape: [33, 48], dtype: bfloat16, layout: tile, persistent: true, origin: "
        "{constant: 1}}\n",
        "  - {name: s, op: scale, in: [cache], out: [next], set: {factor: 3}}\n"
        "  - {name: t, op: copy, in: [next], out: [cache]}\n");
    const config::LoadedRun loaded = load(text);
    RunFiles files;
    for (const float expected : {3.0F, 9.0F, 27.0F}) {
        SafetensorsWriter state(folder_.file("state.safetensors"), state_tensors(loaded));
        files.new_state = &state;
        (void)run_pipeline(loaded, {}, files);
        state.finish();
        files.state = std::make_shared<const SafetensorsFile>(folder_.file("state.safetensors"));
        const HostTensor cache = files.state->read("cache");
        EXPECT_EQ(std::bit_cast<float>(std::uint32_t{cache.as<std::uint16_t>()[0]} << 16U),
                  expected);
    }
}

TEST_F(Pipeline, ComparesAProgramWithItsExpression) {
    const std::string text = scaling(
        "[1, 1]", kOnes,
        "  - name: twice\n"
        "    in: [x]\n"
        "    out: {y: {shape: [33, 48], dtype: bfloat16, layout: tile}}\n"
        "    program:\n"
        "      cores: {grid: [2, 2], split_work_to_cores: tiles(y)}\n"
        "      cbs: {0: {}, 16: {}}\n"
        "      kernels:\n"
        "        - {path: ops/scale/kernels/reader.cpp, on: reader, compile_args: [accessor(x)], "
        "args: [address(x), core.first, core.count]}\n"
        "        - {path: ops/scale/kernels/compute.cpp, on: compute, named_compile_args: "
        "{factor: 0x40000000}, args: [core.count]}\n"
        "        - {path: ops/scale/kernels/writer.cpp, on: writer, compile_args: [accessor(y)], "
        "args: [address(y), core.first, core.count]}\n"
        "    reference: 2 * x\n");

    const auto right = run(load(text));
    EXPECT_TRUE(report::failed_steps(right).empty());
    EXPECT_EQ(constant("d0.y"), 2.0F);

    const auto wrong = run(load(text, {"steps.twice.reference=3 * x"}));
    EXPECT_THAT(report::failed_steps(wrong), testing::ElementsAre("twice"));
    EXPECT_THAT(wrong.steps[0].check->failure,
                testing::HasSubstr("y of device 0 at (0,0): 2 against 3"));
}

class TinyTilePipeline : public Pipeline, public ::testing::WithParamInterface<const char*> {};

// Converts host tensors to tiny tiles in DRAM, through CBs of such tiles, and back. 33 and 50 are
// not multiples of any tile's sides.
TEST_P(TinyTilePipeline, RunsAProgramOnItsTiles) {
    const std::string held = std::string("dtype: ") + GetParam();
    const std::string buffer = std::string("{format: ") + GetParam() + "}";
    const auto tiled = [](std::string text) {
        return text.replace(text.find(", tile:"), 0, ", layout: tile");
    };
    const auto record = run(load(scaling(
        "[1, 1]", "  x: {shape: [2, 33, 50], " + tiled(held) + ", origin: {random: normal}}\n",
        "  - name: twice\n"
        "    in: [x]\n"
        "    out: {y: {shape: [2, 33, 50], " +
            tiled(held) +
            "}}\n"
            "    program:\n"
            "      cores: {grid: [2, 2], split_work_to_cores: pages(y)}\n"
            "      cbs: {0: " +
            buffer + ", 16: " + buffer +
            "}\n"
            "      kernels:\n"
            "        - {path: ops/scale/kernels/reader.cpp, on: reader, compile_args: "
            "[accessor(x)], "
            "args: [address(x), core.first, core.count]}\n"
            "        - {path: ops/scale/kernels/compute.cpp, on: compute, named_compile_args: "
            "{factor: 0x40000000}, "
            "args: [core.count]}\n"
            "        - {path: ops/scale/kernels/writer.cpp, on: writer, compile_args: "
            "[accessor(y)], "
            "args: [address(y), core.first, core.count]}\n"
            "    reference: 2 * x\n")));

    EXPECT_TRUE(report::failed_steps(record).empty());
    EXPECT_EQ(record.steps[0].check->num_elements, 2U * 33U * 50U);
}

INSTANTIATE_TEST_SUITE_P(Tiles, TinyTilePipeline,
                         ::testing::Values("bfloat16, tile: [16, 32]", "bfloat16, tile: [32, 16]",
                                           "bfloat16, tile: [2, 32]", "bfp8_b, tile: [16, 32]",
                                           "bfp8_b, tile: [32, 16]", "bfp4_b, tile: [16, 32]"));

TEST_F(Pipeline, GivesTheSameBytesAtAnyNumberOfThreadsAndUnderEveryDelivery) {
    (void)run(shipped("moe_v2_tiny", {"host.threads=1", "machine.noc_delivery=at_issue"}));
    const HostTensor one = results_->read("final");
    for (const char* delivery : {"at_barrier", "random"}) {
        for (const char* threads : {"2", "5"}) {
            (void)run(shipped("moe_v2_tiny", {std::string("host.threads=") + threads,
                                              std::string("machine.noc_delivery=") + delivery}));
            EXPECT_EQ(results_->read("final").bytes, one.bytes) << delivery << " " << threads;
        }
    }
}

TEST_F(Pipeline, ComparesTheLastStepWithTheChainOfReferences) {
    const auto record = run(shipped("moe_v2_tiny", {"verify.level=final_only"}));

    ASSERT_EQ(record.steps.size(), 11U);
    EXPECT_FALSE(record.steps[3].check);
    ASSERT_TRUE(record.steps[10].check);
    EXPECT_EQ(record.steps[10].check->failure, "");
    EXPECT_EQ(record.steps[10].check->num_elements, 40U * 80U);
    EXPECT_GT(record.steps[10].check->max_relative_error, 0);
}

TEST_F(Pipeline, FusesTheActivationWhereTheParamSaysSo) {
    const auto record = run(shipped("moe_v2_tiny", {"params.activation=fused"}));

    EXPECT_EQ(record.steps.size(), 10U);
    EXPECT_TRUE(report::failed_steps(record).empty());
    EXPECT_EQ(results_->find("d0.silu"), nullptr);
}

TEST_F(Pipeline, CountsTheTokensOfEachExpert) {
    const auto record = run(shipped("moe_v2_tiny"));

    ASSERT_TRUE(record.experts);
    EXPECT_EQ(record.experts->experts.size(), 8U);
    std::uint32_t tokens = 0;
    for (const auto& expert : record.experts->experts) {
        tokens += expert.tokens;
    }
    EXPECT_EQ(tokens, 40U * 3U);  // each token selects three experts
    EXPECT_THAT(record.experts->launches, testing::Contains("gate"));
    EXPECT_THAT(record.experts->launches, testing::Not(testing::Contains("all_reduce")));
}

}  // namespace
}  // namespace tessera::pipeline
