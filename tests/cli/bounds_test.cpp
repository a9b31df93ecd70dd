// SPDX-License-Identifier: Apache-2.0
// Bounds of steps: no step of a configuration that ships is predicted to be faster than its least
// work allows, and the least work is that of the step's operands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/tessera_process.hpp"
#include "tests/scratch_folder.hpp"

namespace tessera::test {
namespace {

nlohmann::json timed(const std::string& name, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"run", name, "--timing-only", "--draws", "2", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Ending ending = run_tessera(arguments);
    EXPECT_EQ(ending.exit_code, 0) << ending.err;
    return nlohmann::json::parse(ending.out);
}

nlohmann::json bound_of(const nlohmann::json& run, const std::string& step) {
    for (const auto& one : run.at("steps")) {
        if (one.at("name") == step) {
            return one.at("bound");
        }
    }
    ADD_FAILURE() << "no step " << step;
    return {};
}

// One run for each kind of op. The others were tried once: none has a step below its bound.
class ShippedRuns : public ::testing::TestWithParam<const char*> {};

TEST_P(ShippedRuns, HaveNoStepBelowItsBound) {
    const auto run = timed(GetParam());

    for (const auto& step : run.at("steps")) {
        if (step.at("bound").is_null()) {
            continue;
        }
        EXPECT_LE(step.at("bound").at("time").get<std::int64_t>(),
                  step.at("device_time").at("expected").get<std::int64_t>())
            << step.at("name");
    }
    // A run whose steps are all programs of its own has no bound.
    if (!run.at("bound").is_null()) {
        EXPECT_GE(run.at("over_bound").get<double>(), 1);
    }
}

INSTANTIATE_TEST_SUITE_P(Small, ShippedRuns,
                         ::testing::Values("all_gather", "all_to_all", "broadcast",
                                           "decode_attention", "deepseek_v32_tiny",
                                           "dispatch_combine", "fp8_quant", "gqa", "indexer",
                                           "modular_batched", "moe_fp8", "moe_layer", "moe_routing",
                                           "moe_v2_tiny", "reduce_scatter", "reshard", "sp_chunks"),
                         [](const auto& test) { return std::string(test.param); });

constexpr const char* kQuantisations = R"(
mesh: {device: wormhole_n150, shape: [1, 1]}
tensors:
  x: {shape: [4096, 7168], dtype: bfloat16, origin: {random: normal}}
  s: {shape: [1], dtype: float32, origin: {constant: 0.01}}
steps:
  - {name: fp8_block, op: quantise, in: [x], out: [q0, s0], set: {block: 1x128}}
  - {name: fp8_row, op: quantise, in: [x], out: [q1, s1], set: {block: row}}
  - {name: fp8_static, op: quantise, in: {input: x, static_scale: s}, out: [q2], set: {block: static}}
  - {name: fp8_tensor, op: quantise, in: [x], out: [q3, s3], set: {block: tensor}}
  - {name: int8_row, op: quantise, in: [x], out: [q4, s4], set: {block: row, codes: int8}}
  - {name: e2m1, op: quantise, in: [x], out: [q5, s5], set: {block: 1x32, codes: e2m1}}
)";

TEST(Quantisation, OfManyTokensTakesAtMostThreeTimesItsBound) {
    const ScratchFolder folder;

    const auto run = timed(folder.write("run.yaml", kQuantisations));

    for (const auto& step : run.at("steps")) {
        EXPECT_LE(step.at("device_time").at("expected").get<double>(),
                  3 * step.at("bound").at("time").get<double>())
            << step.at("name");
    }
}

// Two inputs and an output of 640 × 1024 numbers of two bytes.
TEST(Bounds, OfAnElementWiseStepAreItsOperands) {
    const auto bound = bound_of(timed("vector_add"), "eltwise");

    EXPECT_EQ(bound.at("dram_bytes"), 3.0 * 640 * 1024 * 2);
    EXPECT_EQ(bound.at("by"), "DRAM");
}

// Three matrices of 640 × 640 numbers of two bytes.
TEST(Bounds, OfAProductHaveItsMultiplications) {
    const auto bound = bound_of(timed("matmul_640"), "matmul");

    EXPECT_EQ(bound.at("products"), 640.0 * 640 * 640);
    EXPECT_EQ(bound.at("dram_bytes"), 3.0 * 640 * 640 * 2);
}

// Each of 8 devices must receive 7/8 of a tensor for the sum, and 7/8 for the result.
TEST(Bounds, OfAnAllReduceAreTwoTripsOverTheLinks) {
    const auto run = timed("all_reduce");
    const double rows = run.at("workload").at("rows");
    const double columns = run.at("workload").at("hidden");
    const double devices = run.at("mesh").at("shape").at(1);

    EXPECT_EQ(bound_of(run, "all_reduce").at("link_bytes"),
              2 * (devices - 1) / devices * rows * columns * 2);
}

}  // namespace
}  // namespace tessera::test
