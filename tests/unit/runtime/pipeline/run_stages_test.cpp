// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/run_stages.hpp"

#include <gmock/gmock.h>

namespace tessera::pipeline {
namespace {

using ::testing::ElementsAre;

PipelineSpec pipeline_of(const std::vector<std::string>& steps) {
    PipelineSpec pipeline;
    for (const std::string& name : steps) {
        pipeline.steps.push_back({.name = name});
    }
    return pipeline;
}

TEST(RunStages, AreNoneWhereTheRunFileNamesNone) {
    EXPECT_FALSE(run_stages(pipeline_of({"a"}), 1).has_value());
}

TEST(RunStages, TakeEachLaunchOnceAndTheRestIsTheLast) {
    PipelineSpec pipeline = pipeline_of({"q_a_0", "moe_0.down", "moe_0.up", "q", "last"});
    pipeline.report.stages = {{"q", {"q_*"}}, {"down", {"*.down"}}, {"moe", {"moe_*", "q"}}};

    const auto run = run_stages(pipeline, 1);

    ASSERT_EQ(run->stages.size(), 4U);
    EXPECT_THAT(run->stages[0].launches, ElementsAre("q_a_0"));
    EXPECT_THAT(run->stages[1].launches, ElementsAre("moe_0.down"));
    EXPECT_THAT(run->stages[2].launches, ElementsAre("moe_0.up", "q"));
    EXPECT_EQ(run->stages[3].name, "other");
    EXPECT_THAT(run->stages[3].launches, ElementsAre("last"));
}

TEST(RunStages, CountTheBytesOfEachDevicesPart) {
    PipelineSpec pipeline = pipeline_of({"s"});
    pipeline.report.stages = {{"all", {"*"}}};
    pipeline.report.memory = {{"weights", {"w*"}}, {"cache", {"c"}}};
    const auto tensor = [](const std::string& name, Distribution distribution) {
        return PipelineTensor{.name = name,
                              .spec = {{8, 64}, DataFormat::Float16_b, Layout::ROW_MAJOR},
                              .distribution = distribution};
    };
    pipeline.tensors = {tensor("w1", Distribution::Replicated), tensor("w2", Distribution::Split),
                        tensor("x", Distribution::Replicated)};

    const auto run = run_stages(pipeline, 4);

    EXPECT_EQ(run->memory[0].bytes, 8 * 64 * 2 + 2 * 64 * 2);
    EXPECT_EQ(run->memory[1].bytes, 0);
}

}  // namespace
}  // namespace tessera::pipeline
