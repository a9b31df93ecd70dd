// SPDX-License-Identifier: Apache-2.0
// Placement of the weights of fp8_grouped_matmul: chosen by the op, or stated in a run file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/tessera_process.hpp"
#include "tests/scratch_folder.hpp"

namespace tessera::test {
namespace {

class CliWeightShards : public ::testing::Test {
protected:
    /// Returns the schedules of a run of moe_fp8 with further steps, by step.
    std::map<std::string, std::string> schedules(const std::string& steps) {
        const auto file = folder_.write("run.yaml", "extends: moe_fp8\n" + steps);
        const Ending ending = run_tessera({"run", file.string(), "--json"});
        EXPECT_EQ(ending.exit_code, 0) << ending.err;
        std::map<std::string, std::string> found;
        const auto record = nlohmann::json::parse(ending.out);
        for (const auto& step : record.at("steps")) {
            found[step.at("name")] = step.at("schedule");
        }
        return found;
    }

    ScratchFolder folder_;
};

TEST_F(CliWeightShards, AreChosenForWeightsThatOnlyTheProductReads) {
    EXPECT_EQ(schedules("").at("gemm1"), "multi_core, weights in shards");
}

TEST_F(CliWeightShards, AreNotChosenForWeightsThatAnotherOpReads) {
    const auto found =
        schedules("steps:\n  - {name: kept, op: copy, in: [gemm1_weights], out: [kept]}\n");

    EXPECT_EQ(found.at("gemm1"), "multi_core");
    EXPECT_EQ(found.at("gemm2"), "multi_core, weights in shards");
}

TEST_F(CliWeightShards, AreNotChosenForWeightsWithAStatedMemory) {
    const auto found = schedules("tensors: {gemm1_weights: {memory: dram}}\n");

    EXPECT_EQ(found.at("gemm1"), "multi_core");
}

TEST_F(CliWeightShards, AreThoseThatARunStates) {
    const auto found =
        schedules("tensors: {gemm1_weights: {memory: {layout: block, shard: [128, 32]}}}\n");

    EXPECT_EQ(found.at("gemm1"), "multi_core, weights in shards");
}

TEST_F(CliWeightShards, OfAnotherShapeAreRefusedAtTheirPlace) {
    const auto refusal = [&](const std::string& memory) {
        const auto file = folder_.write(
            "run.yaml", "extends: moe_fp8\ntensors: {gemm1_weights: {memory: " + memory + "}}\n");
        const Ending ending = run_tessera({"check", file.string()});
        EXPECT_EQ(ending.exit_code, 2);
        return ending.err;
    };

    EXPECT_THAT(refusal("{layout: block, shard: [100, 32]}"),
                ::testing::HasSubstr("tensors.gemm1_weights: sharding (16,512,256): shards of 100 "
                                     "rows are not whole pages; allowed: a multiple of 32"));
    EXPECT_THAT(
        refusal("{shard: [128, 32]}"),
        ::testing::HasSubstr("tensors.gemm1_weights: memory.shard is stated, but the layout "
                             "is interleaved; allowed: layout block"));
    EXPECT_THAT(
        refusal("{layout: block, shard: [32, 32]}"),
        ::testing::HasSubstr("steps.gemm1.in: weights (gemm1_weights) are in other shards"));
}

TEST_F(CliWeightShards, OfAnEarlierStepRefuseAStepWithoutThem) {
    const Ending ending =
        run_tessera({"run", "moe_fp8", "--set", "steps.gemm1_unrounded.set.weight_shards=false"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_THAT(ending.err, ::testing::HasSubstr(
                                "steps.gemm1_unrounded.set.weight_shards: is false, but an earlier "
                                "step that reads these weights has placed them in shards; allowed: "
                                "one value in all steps that read them, or memory: dram of the "
                                "tensor"));
}

}  // namespace
}  // namespace tessera::test
