// SPDX-License-Identifier: Apache-2.0
// Inputs of a run: from an input file, and operands that a step leaves out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <numeric>

#include "emu/base/tensor_file/safetensors_writer.hpp"
#include "runtime/config/load.hpp"
#include "runtime/pipeline/run_pipeline.hpp"
#include "tests/errors/host/usage_error_message.hpp"
#include "tests/scratch_folder.hpp"

namespace tessera::pipeline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Words = std::vector<std::int32_t>;

HostTensor bf16(const Shape& shape, std::uint16_t bits) {
    HostTensor tensor = make_host_tensor(shape, DataFormat::Float16_b);
    std::ranges::fill(tensor.as<std::uint16_t>(), bits);
    return tensor;
}

class GivenInputs : public ::testing::Test {
protected:
    [[nodiscard]] report::RunRecord run(const std::string& tensors, const std::string& steps,
                                        const std::map<std::string, HostTensor>& inputs = {}) {
        const std::array folders{std::filesystem::path(TESSERA_SOURCE_DIR) / "configs"};
        const config::LoadedRun loaded =
            config::load_run(folder_.write("run.yaml",
                                           "mesh: {device: wormhole_n150, shape: [1, 1]}\n"
                                           "output_names: plain\ntensors:\n" +
                                               tensors + "steps:\n" + steps),
                             std::vector<std::string>(), folders);
        SafetensorsWriter outputs(folder_.file("out.safetensors"), output_tensors(loaded));
        RunFiles files{.inputs = write(inputs), .outputs = &outputs};
        report::RunRecord record = run_pipeline(loaded, {}, files);
        outputs.finish();
        return record;
    }
    [[nodiscard]] InputFile write(const std::map<std::string, HostTensor>& inputs) const {
        if (inputs.empty()) {
            return nullptr;
        }
        std::map<std::string, const HostTensor*> tensors;
        for (const auto& [name, tensor] : inputs) {
            tensors.emplace(name, &tensor);
        }
        write_safetensors(folder_.file("in.safetensors"), tensors);
        return std::make_shared<const SafetensorsFile>(folder_.file("in.safetensors"));
    }
    [[nodiscard]] Words words(const std::string& name) const {
        const HostTensor tensor = SafetensorsFile(folder_.file("out.safetensors")).read(name);
        const auto held = tensor.as<std::int32_t>();
        return {held.begin(), held.end()};
    }
    [[nodiscard]] std::uint16_t first_bits(const std::string& name) const {
        return SafetensorsFile(folder_.file("out.safetensors")).read(name).as<std::uint16_t>()[0];
    }

    ScratchFolder folder_;
};

constexpr const char* kDoubleX = "  - {name: s, op: scale, in: [x], out: [y], set: {factor: 2}}\n";

// 3.0 is 0x4040, twice 3.0 is 0x40C0. A reference that read x after the step would expect 12.
TEST_F(GivenInputs, OfAStepThatOverwritesThemAreThoseThatItHad) {
    const auto record = run("  x: {shape: [32, 32], dtype: bfloat16, layout: tile}\n",
                            "  - {name: s, op: scale, in: [x], out: [x], set: {factor: 2}}\n",
                            {{"x", bf16({32, 32}, 0x4040)}});

    EXPECT_THAT(report::failed_steps(record), IsEmpty());
    ASSERT_TRUE(record.steps[0].check.has_value());
    EXPECT_EQ(record.steps[0].check->max_relative_error, 0);
    EXPECT_EQ(first_bits("x"), 0x40C0);
}

class OverriddenOrigin : public GivenInputs, public ::testing::WithParamInterface<const char*> {};

// 3.0 is 0x4040, twice 3.0 is 0x40C0.
TEST_P(OverriddenOrigin, GivesWayToTheFilesTensor) {
    const auto record =
        run("  z: {shape: [32, 32], dtype: bfloat16, layout: tile, origin: zeros}\n"
            "  x: {shape: [32, 32], dtype: bfloat16, layout: tile, origin: " +
                std::string(GetParam()) + "}\n",
            kDoubleX, {{"x", bf16({32, 32}, 0x4040)}});

    EXPECT_THAT(report::failed_steps(record), IsEmpty());
    EXPECT_EQ(first_bits("y"), 0x40C0);
    EXPECT_THAT(record.unread_inputs, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Origins, OverriddenOrigin,
                         ::testing::Values("{constant: 1}", "zeros", "{random: normal}",
                                           "{join: [z]}"));

TEST_F(GivenInputs, OfAnIndexOriginAreTheFilesToo) {
    HostTensor ids = make_host_tensor({2, 32}, DataFormat::Int32);
    std::iota(ids.as<std::int32_t>().begin(), ids.as<std::int32_t>().end(), 7);

    (void)run("  x: {shape: [2, 32], dtype: int32, origin: {index: i}}\n",
              "  - {name: s, op: copy, in: [x], out: [y]}\n", {{"x", ids}});

    EXPECT_EQ(words("y")[0], 7);
}

TEST_F(GivenInputs, ThatNoStepReadsAreNamed) {
    const auto record =
        run("  x: {shape: [32, 32], dtype: bfloat16, layout: tile}\n", kDoubleX,
            {{"x", bf16({32, 32}, 0x4040)}, {"expected.y", bf16({32, 32}, 0x40C0)}});

    EXPECT_THAT(record.unread_inputs, ElementsAre("expected.y"));
}

TEST_F(GivenInputs, WithANameThatIsALetterOffAreRefused) {
    EXPECT_EQ(
        usage_error_message([&] {
            (void)run(
                "  x: {shape: [32, 32], dtype: bfloat16, layout: tile}\n"
                "  page_table: {shape: [1, 32], dtype: int32, origin: {index: i}}\n",
                std::string(kDoubleX) + "  - {name: t, op: copy, in: [page_table], out: [w]}\n",
                {{"x", bf16({32, 32}, 0x4040)},
                 {"page_tables", make_host_tensor({1, 32}, DataFormat::Int32)}});
        }),
        folder_.file("in.safetensors") +
            ": page_tables is not a tensor of the run; did you mean page_table?");
}

TEST_F(GivenInputs, WithANanAreReported) {
    HostTensor x = bf16({32, 32}, 0x4040);
    x.as<std::uint16_t>()[35] = 0x7FC0;

    const auto record =
        run("  x: {shape: [32, 32], dtype: bfloat16, layout: tile}\n", kDoubleX, {{"x", x}});

    EXPECT_THAT(report::failed_steps(record), IsEmpty());
    ASSERT_EQ(record.nans.size(), 2U);
    EXPECT_EQ(record.nans[0].tensor, "x");
    EXPECT_EQ(record.nans[0].step, "");
    EXPECT_EQ(record.nans[0].count, 1U);
    EXPECT_EQ(record.nans[0].num_elements, 1024U);
    EXPECT_EQ(record.nans[0].first, "(1,3)");
    EXPECT_EQ(record.nans[1].tensor, "y");
    EXPECT_EQ(record.nans[1].step, "s");
    EXPECT_EQ(record.nans[1].first, "(1,3) of device 0");
}

// Choices 0 to 3 of the first token only, each padded to a block of four; 16 means none.
TEST_F(GivenInputs, MayLeaveOutAnOperandBeforeOthersOfAnAlignment) {
    const auto record =
        run("  ids: {shape: [4, 4], dtype: int32, origin: {index: 'i % 8'}}\n"
            "  nt: {shape: [1, 1], dtype: uint32, origin: {constant: 1}}\n",
            "  - {name: s, op: moe_align_block_size, in: {topk_ids: ids, num_tokens: nt}, out: "
            "[sorted, "
            "experts, padded, rows], set: {block_size: 4, num_experts: 8}}\n");

    EXPECT_THAT(report::failed_steps(record), IsEmpty());
    EXPECT_THAT(words("padded"), ElementsAre(16));
    EXPECT_EQ(Words({0, 16, 16, 16, 1, 16, 16, 16, 2, 16, 16, 16, 3, 16, 16, 16}), [&] {
        auto sorted = words("sorted");
        sorted.resize(16);
        return sorted;
    }());
    EXPECT_EQ(Words({0, 1, 2, 3, -1}), [&] {
        auto experts = words("experts");
        experts.resize(5);
        return experts;
    }());
}

// Token 0 has position 1 of the sequence, token 1 position 0.
TEST_F(GivenInputs, MayLeaveOutAnOperandBeforeOthersOfACache) {
    const auto record =
        run("  rows: {shape: [2, 16], dtype: int32, origin: {index: i}}\n"
            "  cache: {shape: [4, 16], dtype: int32, origin: zeros}\n"
            "  table: {shape: [1, 2], dtype: int32, origin: {index: i}}\n"
            "  positions: {shape: [2], dtype: int32, origin: {index: '1 - i'}}\n"
            "  sequences: {shape: [2], dtype: int32, origin: zeros}\n",
            "  - {name: s, op: kv_cache_append, in: {rows: rows, cache: cache, page_table: table, "
            "positions: positions, sequences: sequences}, out: [cache], set: {page_size: 2}}\n");

    EXPECT_THAT(report::failed_steps(record), IsEmpty());
    EXPECT_EQ(words("cache")[0], 16);
    EXPECT_EQ(words("cache")[16], 0);
    EXPECT_EQ(words("cache")[31], 15);
}

// 1 · 0.5 + 1 · 0.5 is 1, which is 0x3F80.
TEST_F(GivenInputs, MayLeaveOutAnOperandBeforeOthersOfASum) {
    const auto record =
        run("  outputs: {shape: [4, 2, 64], dtype: bfloat16, origin: {constant: 1}}\n"
            "  weights: {shape: [4, 2], dtype: float32, origin: {constant: 0.5}}\n",
            "  - {name: s, op: moe_sum, in: {expert_outputs: outputs, topk_weights: weights}, "
            "out: [y]}\n");

    EXPECT_THAT(report::failed_steps(record), IsEmpty());
    EXPECT_EQ(first_bits("y"), 0x3F80);
}

// Rounded constants, which do not correlate, and values that overflow to infinity in both.
class RightResults : public GivenInputs, public ::testing::WithParamInterface<const char*> {};

TEST_P(RightResults, Pass) {
    const auto record =
        run("  a: {shape: [64, 64], dtype: bfloat16, layout: tile, origin: {constant: 0.3}}\n"
            "  b: {shape: [64, 64], dtype: bfloat16, layout: tile, origin: {constant: 0.7}}\n"
            "  one: {shape: [1, 1], dtype: bfloat16, layout: tile, origin: {constant: 0.3}}\n"
            "  rows: {shape: [64, 64], dtype: bfloat16, origin: {constant: 0.3}}\n"
            "  huge: {shape: [64, 64], dtype: bfloat16, layout: tile, origin: {constant: 3.3e38}}\n"
            "  tiny: {shape: [64, 64], dtype: bfloat16, layout: tile, origin: {constant: 3e-40}}\n"
            "  small: {shape: [64, 64], dtype: bfloat16, layout: tile, origin: {random: normal, "
            "stddev: 1.0e-39}}\n",
            std::string("  - {name: s, out: [y], ") + GetParam() + "}\n");

    EXPECT_EQ(record.steps.at(0).check->failure, "");
}

INSTANTIATE_TEST_SUITE_P(
    Constants, RightResults,
    ::testing::Values("op: matmul, in: [a, b], set: {schedule: single_core}",
                      "op: eltwise, in: [a, b], set: {function: mul}",
                      "op: scale, in: [a], set: {factor: 0.7}",
                      "op: eltwise, in: [a], set: {function: exp}", "op: softmax, in: [rows]",
                      "op: scale, in: [one], set: {factor: 0.7}",
                      "op: eltwise, in: [one], set: {function: exp}",
                      "op: matmul, in: [one, one], set: {schedule: single_core}"));
INSTANTIATE_TEST_SUITE_P(
    EndsOfTheFormat, RightResults,
    ::testing::Values("op: scale, in: [huge], set: {factor: 0.7}",
                      "op: scale, in: [huge], set: {factor: 3}",
                      "op: eltwise, in: [huge, huge], set: {function: mul}",
                      "op: eltwise, in: [huge, huge], set: {function: add}",
                      "op: matmul, in: [huge, huge], set: {schedule: single_core}",
                      "op: scale, in: [tiny], set: {factor: 0.7}",
                      "op: eltwise, in: [tiny, tiny], set: {function: add}",
                      "op: eltwise, in: [tiny, tiny], set: {function: mul}",
                      "op: eltwise, in: [tiny], set: {function: sqrt}",
                      "op: matmul, in: [tiny, b], set: {schedule: single_core}",
                      "op: matmul, in: [small, b], set: {schedule: single_core}",
                      "op: scale, in: [small], set: {factor: 0.7}",
                      "op: eltwise, in: [small, tiny], set: {function: add}"));

}  // namespace
}  // namespace tessera::pipeline
