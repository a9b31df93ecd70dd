// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/point_cache.hpp"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>

#include "runtime/study/figures_json.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/unit/runtime/study/figures.hpp"

namespace tessera::sweep {
namespace {

namespace fs = std::filesystem;

config::LoadedRun load(const std::vector<config::Override>& sets = {}) {
    const std::array folders{fs::path(TESSERA_SOURCE_DIR) / "configs"};
    return config::load_run(fs::path(TESSERA_SOURCE_DIR) / "configs/runs/matmul_640.yaml", sets,
                            folders);
}

compare::RunFigures figures() {
    using compare::test::step_of;
    compare::RunFigures run =
        compare::test::run_of("run", {step_of("prepare", 3, 4, 5), step_of("gate", 7, 8, 10)});
    run.steps[1].ensemble.regimes.front() = {0.5, 0.25};
    run.steps[1].ensemble.shared = 0.75;
    return run;
}

TEST(PointCache, GivesBackWhatItKept) {
    const ScratchFolder folder;
    const PointCache cache(folder.file("points"), {8}, false);
    EXPECT_FALSE(cache.find(load()).has_value());

    cache.keep(load(), figures());

    const auto found = PointCache(folder.file("points"), {8}, false).find(load());
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(to_json(*found), to_json(figures()));
    EXPECT_EQ(found->steps[1].path.lines.at("compute.cpp:7 (math)"), 8);
    EXPECT_EQ(found->clock.value, 1e9);
}

TEST(PointCache, KnowsPointsByValuesDeviceAndDraws) {
    const ScratchFolder folder;
    const PointCache cache(folder.path(), {8}, false);
    cache.keep(load(), figures());

    EXPECT_FALSE(cache.find(load({{"params.m", "320", "--set"}})).has_value());
    EXPECT_FALSE(cache.find(load({{"arch.timing.noc.hop", "8 cycles", "--set"}})).has_value());
    EXPECT_TRUE(cache.find(load({{"host.threads", "1", "--set"}})).has_value());
    EXPECT_FALSE(PointCache(folder.path(), {9}, false).find(load()).has_value());
    EXPECT_FALSE(PointCache(folder.path(), {8}, true).find(load()).has_value());
}

TEST(PointCache, LeavesRunsWithKernelsOfTheirOwn) {
    const ScratchFolder folder;
    const std::array folders{fs::path(TESSERA_SOURCE_DIR) / "configs"};
    const config::LoadedRun own =
        config::load_run(fs::path(TESSERA_SOURCE_DIR) / "examples/bias_gelu/bias_gelu.yaml",
                         std::vector<config::Override>(), folders);
    const PointCache cache(folder.path(), {8}, false);

    cache.keep(own, figures());

    EXPECT_FALSE(cache.find(own).has_value());
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(PointCache, RunsAPointAgainWhoseFileIsBroken) {
    const ScratchFolder folder;
    const PointCache cache(folder.path(), {8}, false);
    cache.keep(load(), figures());
    for (const auto& file : fs::directory_iterator(folder.path())) {
        std::ofstream(file.path()) << "{\"name\": 3";
    }

    EXPECT_FALSE(cache.find(load()).has_value());
}

}  // namespace
}  // namespace tessera::sweep
