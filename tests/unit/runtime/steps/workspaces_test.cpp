// SPDX-License-Identifier: Apache-2.0
// Placement of tensors of several steps in their shared memory.
#include "runtime/steps/workspaces.hpp"

#include <gmock/gmock.h>

#include "tests/arch_fixture.hpp"

namespace tessera::pipeline {
namespace {

/// Returns a step that makes one tensor of `rows` rows, each a page.
PipelineStep step(const std::string& output, std::vector<std::string> inputs, std::uint32_t rows,
                  const std::string& launch = "") {
    PipelineStep made{.name = output, .inputs = std::move(inputs), .launch = launch};
    made.outputs.push_back({.name = output, .workspace = "w"});
    made.output_plans.push_back({.spec = {{rows, 1024}, DataFormat::Float16_b, Layout::ROW_MAJOR}});
    return made;
}

Workspace planned(std::vector<PipelineStep> steps) {
    PipelineSpec pipeline;
    pipeline.steps = std::move(steps);
    return plan_workspaces(pipeline, testing::test_arch()).at(0);
}

std::uint64_t offset_of(const Workspace& workspace, const std::string& tensor) {
    return std::ranges::find(workspace.tensors, tensor, &WorkspaceTensor::name)->offset;
}

/// Returns the bytes per bank of so many rows, distributed round robin.
std::uint64_t bytes_of(std::uint32_t rows) {
    const std::uint32_t banks = testing::test_arch().dram.num_banks;
    return std::uint64_t{(rows + banks - 1) / banks} * 2048;
}

TEST(Workspaces, ATensorTakesThePlaceOfOneThatIsNoLongerNeeded) {
    const Workspace workspace = planned(
        {step("a", {}, 24), step("b", {"a"}, 24), step("c", {"b"}, 24), step("d", {"c"}, 24)});

    EXPECT_EQ(workspace.bytes, 2 * bytes_of(24));
    EXPECT_EQ(offset_of(workspace, "a"), offset_of(workspace, "c"));
    EXPECT_EQ(offset_of(workspace, "b"), offset_of(workspace, "d"));
    EXPECT_NE(offset_of(workspace, "a"), offset_of(workspace, "b"));
    EXPECT_EQ(workspace.first_step, 0U);
    EXPECT_EQ(workspace.end_step, 4U);
}

TEST(Workspaces, WhatALaterStepReadsKeepsItsPlace) {
    const Workspace workspace = planned(
        {step("a", {}, 24), step("b", {"a"}, 24), step("c", {"b"}, 24), step("d", {"a", "c"}, 24)});

    EXPECT_EQ(workspace.bytes, 3 * bytes_of(24));
    EXPECT_NE(offset_of(workspace, "a"), offset_of(workspace, "c"));
}

TEST(Workspaces, StepsOfOneLaunchAreNotInEachOthersMemory) {
    const Workspace workspace =
        planned({step("a", {}, 24, "together"), step("b", {}, 24, "together")});

    EXPECT_EQ(workspace.bytes, 2 * bytes_of(24));
}

TEST(Workspaces, SmallOnesFillTheGapsBetweenLargeOnes) {
    // large and b next to each other; a and c, of half the size, one after the other from the end
    // of b.
    const Workspace workspace = planned({step("large", {}, 48), step("a", {"large"}, 24),
                                         step("b", {"a"}, 48), step("c", {"b"}, 24)});

    EXPECT_EQ(workspace.bytes, bytes_of(48) + bytes_of(24));
}

TEST(Workspaces, HoldNoIntegersAndNothingInL1) {
    ops::TensorPlan plan{.spec = {{2, 2}, DataFormat::Int32, Layout::ROW_MAJOR}};
    EXPECT_EQ(workspace_refusal(plan),
              "is int32; allowed in a workspace: formats that are not integers");
    plan.spec.format = DataFormat::Float32;
    EXPECT_EQ(workspace_refusal(plan), std::nullopt);
    plan.memory = BufferType::L1;
    EXPECT_EQ(workspace_refusal(plan), "must be interleaved in DRAM to be in a workspace");
}

}  // namespace
}  // namespace tessera::pipeline
