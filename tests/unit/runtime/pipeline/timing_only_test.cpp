// SPDX-License-Identifier: Apache-2.0
// Runs that compute no values: what their traces depend on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>

#include "runtime/config/load.hpp"
#include "runtime/pipeline/run_pipeline.hpp"

namespace tessera::pipeline {
namespace {

namespace fs = std::filesystem;

const fs::path kConfigs = fs::path(TESSERA_SOURCE_DIR) / "configs";

struct TimedRun {
    std::vector<LaunchTrace> launches;
    report::RunRecord record;
};

config::LoadedRun shipped(const std::string& name, const std::vector<std::string>& sets = {}) {
    const std::array folders{kConfigs};
    return config::load_run(kConfigs / "runs" / (name + ".yaml"), sets, folders);
}

TimedRun recorded(const config::LoadedRun& loaded, AlikeDevices alike,
                  std::optional<std::byte> left_in_buffers = std::nullopt) {
    TimedRun run;
    RunModes modes = timing_only(loaded.pipeline);
    modes.trace = TraceMode::On;
    modes.alike = alike;
    modes.left_in_buffers = left_in_buffers;
    modes.trace_sink = [&](const Trace&, LaunchTrace&& launch) {
        run.launches.push_back(std::move(launch));
    };
    run.record = run_pipeline(loaded, modes);
    return run;
}

TimedRun recorded_with(const config::LoadedRun& loaded, std::byte left_in_buffers) {
    return recorded(loaded, AlikeDevices::RunEach, left_in_buffers);
}

/// Returns the names of the launches that have other events in the second run.
std::vector<std::string> different(const TimedRun& first, const TimedRun& second) {
    EXPECT_EQ(first.launches.size(), second.launches.size());
    std::vector<std::string> names;
    for (std::size_t i = 0; i < first.launches.size(); ++i) {
        if (first.launches[i] != second.launches.at(i)) {
            names.push_back(first.launches[i].name);
        }
    }
    return names;
}

class TimingOnly : public ::testing::TestWithParam<const char*> {};

TEST_P(TimingOnly, RecordsTheSameWhateverIsLeftInBuffers) {
    const config::LoadedRun loaded = shipped(GetParam());
    const TimedRun zeros = recorded_with(loaded, std::byte{0});
    EXPECT_THAT(different(zeros, recorded_with(loaded, std::byte{0xFF})), testing::IsEmpty());
    EXPECT_THAT(different(zeros, recorded_with(loaded, std::byte{0x41})), testing::IsEmpty());
}

TEST_P(TimingOnly, RecordsTheSameIfKernelsRunOnceForAlikeDevices) {
    const config::LoadedRun loaded = shipped(GetParam());
    const TimedRun each = recorded(loaded, AlikeDevices::RunEach);
    const TimedRun once = recorded(loaded, AlikeDevices::RunOnce);
    EXPECT_THAT(different(each, once), testing::IsEmpty());
    EXPECT_EQ(each.record.cores.size(), once.record.cores.size());
    for (std::size_t i = 0; i < once.record.cores.size(); ++i) {
        EXPECT_EQ(each.record.cores[i].bytes_read, once.record.cores[i].bytes_read);
    }
}

// Runs whose kernels branch on scores, ids or scales, and runs of alike devices.
INSTANTIATE_TEST_SUITE_P(Runs, TimingOnly,
                         ::testing::Values("attention_output", "deepseek_v32_tiny", "moe_fp8",
                                           "moe_fp8_1x8", "moe_layer", "moe_routing",
                                           "modular_all_to_all_batched",
                                           "modular_quantised_all_gather", "moe_v2_tiny",
                                           "sp_chunks"));

TEST(TimingOnlyScores, AreDrawnWhereTheyChooseWhatKernelsDo) {
    const TimedRun run = recorded(shipped("deepseek_v32_tiny"), AlikeDevices::RunEach);
    // The scores of the indexer.
    EXPECT_THAT(run.record.drawn, testing::Contains("index_scores_0"));
    EXPECT_THAT(run.record.drawn, testing::Not(testing::Contains("q_a_0")));
}

TEST(TimingOnlyScores, AreThoseOfTheSeed) {
    const TimedRun run = recorded(shipped("deepseek_v32_tiny"), AlikeDevices::RunEach);
    const TimedRun other =
        recorded(shipped("deepseek_v32_tiny", {"seed=77"}), AlikeDevices::RunEach);
    EXPECT_THAT(different(run, other), testing::Contains("choose_0"));
}

}  // namespace
}  // namespace tessera::pipeline
