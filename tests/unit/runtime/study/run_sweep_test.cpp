// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/run_sweep.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "ops/shared/schedule_fields.hpp"
#include "tessera/errors.hpp"
#include "tests/scratch_folder.hpp"

namespace tessera::sweep {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

/// Loads a sweep over the copy of one tile.
config::LoadedSweep load(const std::string& block) {
    const ScratchFolder folder;
    const fs::path file =
        folder.write("s.yaml",
                     "mesh: {device: wormhole_n150, shape: [1, 1]}\n"
                     "tensors:\n  input: {shape: [32, 32], dtype: bfloat16, layout: tile}\n"
                     "steps:\n  - {name: copy, op: copy, in: [input], out: [output]}\n" +
                         block);
    const std::array folders{fs::path(TESSERA_SOURCE_DIR) / "configs"};
    return config::load_sweep(file, std::span<const config::Override>(), folders);
}

/// Records the CB depth of each requested run. Makes runs without launches, which take no time.
class Recorder {
public:
    std::string operator()(const config::LoadedRun& loaded, const pipeline::RunModes& modes) {
        const std::lock_guard lock(mutex_);
        const std::uint32_t depth =
            loaded.pipeline.steps[0].parameters.get().as<ops::CopySpec>().cb_depth;
        depths_.push_back(depth);
        EXPECT_EQ(modes.trace, TraceMode::On);
        switch (depth) {
            case kBreaks:
                throw KernelError(FaultCategory::Deadlock, {}, "nobody moves");
            case kIsOurs:
                throw InternalError("lost count");
            default:
                return depth == kFails ? "values are off" : "";
        }
    }
    [[nodiscard]] const std::vector<std::uint32_t>& depths() const { return depths_; }

    static constexpr std::uint32_t kFails = 7;
    static constexpr std::uint32_t kBreaks = 8;
    static constexpr std::uint32_t kIsOurs = 9;

private:
    std::mutex mutex_;
    std::vector<std::uint32_t> depths_;
};

SweepResult run(const config::LoadedSweep& sweep, Recorder& recorder, std::uint32_t threads = 2) {
    return run_sweep(
        sweep, {.threads = threads,
                .record = [&](const config::LoadedRun& loaded,
                              const pipeline::RunModes& modes) { return recorder(loaded, modes); },
                .on_progress = {}});
}

TEST(RunSweep, RecordsEachPointThatDiffersInMoreThanTimes) {
    Recorder recorder;

    const SweepResult result =
        run(load("sweep:\n  question: q\n  grid:\n    set.copy.cb_depth: [1, 2]\n"
                 "    arch.timing.noc.hop: [8 cycles, 9 cycles, 10 cycles]\n"),
            recorder);

    EXPECT_THAT(recorder.depths(), UnorderedElementsAre(1, 2));
    EXPECT_EQ(result.num_recordings, 2U);
    ASSERT_EQ(result.points.size(), 6U);
    EXPECT_EQ(result.points[2].recorded_by, 0U);
    EXPECT_EQ(result.points[4].recorded_by, 3U);
    EXPECT_THAT(result.points[4].values, ElementsAre("2", "9 cycles"));
    EXPECT_TRUE(result.points[4].figures.has_value());
}

TEST(RunSweep, KeepsPointsThatFailWithReasonAndCode) {
    Recorder recorder;

    const SweepResult result =
        run(load("sweep: {question: q, grid: {set.copy.cb_depth: [1, 7, 8, 2]}}\n"), recorder);

    EXPECT_TRUE(result.points[0].figures.has_value());
    EXPECT_EQ(result.points[0].exit_code, 0);
    EXPECT_FALSE(result.points[1].figures.has_value());
    EXPECT_EQ(result.points[1].failure, "values are off");
    EXPECT_EQ(result.points[1].exit_code, 1);
    EXPECT_THAT(result.points[2].failure, testing::HasSubstr("nobody moves"));
    EXPECT_EQ(result.points[2].exit_code, 3);
    EXPECT_TRUE(result.points[3].figures.has_value());
}

TEST(RunSweep, DoesNotRunWhatARuleForbids) {
    Recorder recorder;
    config::LoadedSweep sweep = load("sweep: {question: q, grid: {set.copy.cb_depth: [1, 2]}}\n");
    sweep.points[1].impossible = "too deep";

    const SweepResult result = run(sweep, recorder);

    EXPECT_THAT(recorder.depths(), ElementsAre(1));
    EXPECT_EQ(result.points[1].failure, "too deep");
    EXPECT_EQ(result.points[1].exit_code, 0);
}

TEST(RunSweep, StopsForAFaultOfOurs) {
    Recorder recorder;

    EXPECT_THROW(
        (void)run(load("sweep: {question: q, grid: {set.copy.cb_depth: [1, 9]}}\n"), recorder),
        InternalError);
}

TEST(RunSweep, RefusesASweepWhosePointsAreAllForbidden) {
    Recorder recorder;
    config::LoadedSweep sweep = load("sweep: {question: q, grid: {set.copy.cb_depth: [1]}}\n");
    sweep.points[0].impossible = "too deep";

    try {
        (void)run(sweep, recorder);
        FAIL() << "nothing ran";
    } catch (const UsageError& error) {
        EXPECT_STREQ(error.what(), "s: no point of the sweep can run:\n  1 point: too deep");
    }
}

TEST(RunSweep, HasAResultEvenIfEveryRunFailed) {
    Recorder recorder;

    const SweepResult result =
        run(load("sweep: {question: q, grid: {set.copy.cb_depth: [7]}}\n"), recorder);

    EXPECT_EQ(result.points[0].exit_code, 1);
}

TEST(RunSweep, SaysHowFarItIs) {
    Recorder recorder;
    std::vector<std::pair<std::size_t, std::size_t>> progress;

    (void)run_sweep(
        load("sweep: {question: q, grid: {set.copy.cb_depth: [1, 2, 3]}}\n"),
        {.threads = 1,
         .record = [&](const config::LoadedRun& loaded,
                       const pipeline::RunModes& modes) { return recorder(loaded, modes); },
         .on_progress = [&](std::size_t done,
                            std::size_t all) { progress.emplace_back(done, all); }});

    EXPECT_THAT(progress, ElementsAre(testing::Pair(0, 3), testing::Pair(1, 3), testing::Pair(2, 3),
                                      testing::Pair(3, 3)));
    EXPECT_THAT(recorder.depths(), ElementsAre(1, 2, 3));
}

/// Runs a sweep with additional options.
SweepResult run_with(const config::LoadedSweep& sweep, Recorder& recorder, SweepOptions options) {
    options.threads = 2;
    options.record = [&](const config::LoadedRun& loaded, const pipeline::RunModes& modes) {
        return recorder(loaded, modes);
    };
    return run_sweep(sweep, options);
}

// All points take the same time here, so the search stays at the first point and tries each key.
TEST(RunSweep, SearchesAlongEachKeyAndPassesOthersBy) {
    Recorder recorder;
    const config::LoadedSweep sweep = load(
        "sweep:\n  question: q\n  grid:\n    set.copy.cb_depth: [1, 2, 3]\n    "
        "tensors.input.memory: [dram, l1]\n");

    const SweepResult result = run_with(sweep, recorder, {.searches = true});

    EXPECT_THAT(recorder.depths(), UnorderedElementsAre(1, 2, 3, 1));
    EXPECT_EQ(result.num_recordings, 4U);
    ASSERT_EQ(result.points.size(), 6U);
    std::size_t passed_by = 0;
    for (const PointResult& point : result.points) {
        EXPECT_NE(point.figures.has_value(), point.is_skipped);
        passed_by += point.is_skipped ? 1 : 0;
    }
    EXPECT_EQ(passed_by, 2U);
}

/// Runs a sweep that is stopped when `stop_at` recordings are done.
SweepResult run_stopped(const config::LoadedSweep& sweep, std::size_t stop_at, bool searches) {
    Recorder recorder;
    std::atomic<bool> stop = false;
    return run_with(sweep, recorder,
                    {.on_progress =
                         [&](std::size_t done, std::size_t) {
                             if (done == stop_at) {
                                 stop = true;
                             }
                         },
                     .searches = searches,
                     .stop = &stop});
}

TEST(RunSweep, IsNotInterruptedIfItIsStoppedAfterItsLastPoint) {
    const auto sweep = load("sweep: {question: q, grid: {set.copy.cb_depth: [1, 2]}}\n");

    for (const bool searches : {false, true}) {
        const SweepResult whole = run_stopped(sweep, 2, searches);
        const SweepResult stopped = run_stopped(sweep, 0, searches);

        EXPECT_FALSE(whole.is_interrupted);
        EXPECT_TRUE(whole.points[0].figures.has_value());
        EXPECT_TRUE(whole.points[1].figures.has_value());
        EXPECT_TRUE(stopped.is_interrupted);
        EXPECT_EQ(stopped.points[0].failure, "not run: the sweep was interrupted");
        EXPECT_FALSE(stopped.points[1].is_skipped);
    }
}

TEST(RunSweep, LabelsDeviceConstantsByTheirValues) {
    Recorder recorder;

    const SweepResult result =
        run(load("sweep:\n  question: q\n  grid:\n    arch.timing.noc.hop:\n"
                 "      - {value: 8 cycles, range: [8 cycles, 12 cycles], source: a}\n"
                 "      - {value: 9 cycles, source: a}\n      - {value: 9 cycles, source: b}\n"
                 "      - 10 cycles\n"),
            recorder);

    EXPECT_EQ(name_of(result, 0), "hop 8 cycles");
    EXPECT_EQ(name_of(result, 1), "hop {value: 9 cycles, source: a}") << "two have the value 9";
    EXPECT_EQ(name_of(result, 3), "hop 10 cycles");
}

TEST(RunSweep, TakesPointsFromTheCacheAndRunsTheOthers) {
    const ScratchFolder folder;
    const PointCache cache(folder.path(), {8}, false);
    Recorder first;
    Recorder second;
    (void)run_with(load("sweep: {question: q, grid: {set.copy.cb_depth: [1, 7, 2]}}\n"), first,
                   {.cache = &cache});

    const SweepResult result =
        run_with(load("sweep: {question: q, grid: {set.copy.cb_depth: [1, 7, 2, 3]}}\n"), second,
                 {.cache = &cache});

    EXPECT_THAT(second.depths(), UnorderedElementsAre(7, 3)) << "7 failed, 3 is new";
    EXPECT_EQ(result.num_cached, 2U);
    EXPECT_EQ(result.num_recordings, 2U);
    EXPECT_TRUE(result.points[2].figures.has_value());
}

TEST(RunSweep, KeepsTimesThatItsCacheCannotTake) {
    const ScratchFolder folder;
    const PointCache cache(folder.file("points"), {8}, false);
    std::filesystem::remove(folder.file("points"));
    Recorder recorder;

    const SweepResult result =
        run_with(load("sweep: {question: q, grid: {set.copy.cb_depth: [1, 2]}}\n"), recorder,
                 {.cache = &cache});

    for (const PointResult& point : result.points) {
        EXPECT_TRUE(point.figures.has_value()) << point.failure;
        EXPECT_THAT(point.not_kept, ::testing::HasSubstr("No such file or directory"));
    }
}

TEST(RunSweep, NamesCasesByTheirValues) {
    Recorder recorder;

    const SweepResult result = run(
        load(
            "sweep:\n  question: q\n  cases: [{tensors.input.memory: dram}, {tensors.input.memory: "
            "l1}]\n  grid: {set.copy.cb_depth: [1, 2]}\n"),
        recorder);

    EXPECT_THAT(result.cases, ElementsAre("memory dram", "memory l1"));
    EXPECT_EQ(result.num_case_keys, 1U);
    EXPECT_EQ(result.points[2].case_index, 1U);
}

}  // namespace
}  // namespace tessera::sweep
