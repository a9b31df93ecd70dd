// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/run_workload.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace tessera::run {
namespace {

config::LoadedRun load(const std::string& name, const std::vector<std::string>& sets = {}) {
    const auto path =
        std::filesystem::path(TESSERA_SOURCE_DIR) / "configs" / "runs" / (name + ".yaml");
    return config::load_run(path, std::span<const std::string>(sets));
}

/// Launches of a run that records them.
std::vector<LaunchTrace> launches_of(const config::LoadedRun& loaded, RunModes modes) {
    std::vector<LaunchTrace> launches;
    modes.trace = TraceMode::On;
    modes.trace_sink = [&](const Trace&, LaunchTrace&& launch) {
        launches.push_back(std::move(launch));
    };
    (void)run_workload(loaded, modes);
    return launches;
}

class RunWorkload : public ::testing::TestWithParam<const char*> {};

TEST_P(RunWorkload, RecordsOneStepThatPasses) {
    const report::RunRecord record = run_workload(load(GetParam()));

    ASSERT_EQ(record.steps.size(), 1U);
    ASSERT_TRUE(record.steps[0].check.has_value());
    EXPECT_EQ(record.steps[0].check->failure, "");
}

TEST_P(RunWorkload, DoesTheSameWithoutMathsAndData) {
    const config::LoadedRun loaded = load(GetParam());

    const auto with = launches_of(loaded, {});
    const auto without = launches_of(loaded, {.maths = Maths::Off, .bulk_data = BulkData::Off});

    ASSERT_EQ(with.size(), 1U);
    EXPECT_GT(num_events(with[0]), 0U);
    EXPECT_EQ(with, without);
}

TEST_P(RunWorkload, ChecksNothingWithoutMaths) {
    const report::RunRecord record = run_workload(load(GetParam()), {.maths = Maths::Off});

    EXPECT_FALSE(record.steps.at(0).check.has_value());
}

INSTANTIATE_TEST_SUITE_P(Ops, RunWorkload,
                         ::testing::Values("copy", "exp", "matmul_640", "reshard", "vector_add"),
                         [](const auto& test) { return std::string(test.param); });

TEST(RunWorkloadOfMoeV2, DoesTheSameWithoutMathsAndDataOtherThanIntegers) {
    const config::LoadedRun loaded = load("moe_v2_tiny");

    const auto with = launches_of(loaded, {});
    const auto without = launches_of(loaded, timing_only(Pipeline::MoeV2));

    EXPECT_GT(with.size(), 1U);
    EXPECT_EQ(with, without);
}

TEST(RunWorkloadOfMoeV2, DrawsItsInputsIfThereAreNone) {
    const report::RunRecord record = run_workload(load("moe_v2_tiny"));

    EXPECT_EQ(record.steps.size(), 11U);
    EXPECT_EQ(failed_steps(record), std::vector<std::string>{});
}

TEST(RunWorkloadOfMoeV2, TellsOfEveryStep) {
    std::vector<std::string> names;
    const RunEnds ends{.on_step = [&](const StepStart& step) { names.push_back(step.name); }};

    (void)run_workload(load("moe_v2_tiny"), {}, ends);
    (void)run_workload(load("copy"), {}, ends);

    ASSERT_EQ(names.size(), 12U);
    EXPECT_EQ(names.front(), "prepare_routing");
    EXPECT_EQ(names.back(), "copy");
}

}  // namespace
}  // namespace tessera::run
