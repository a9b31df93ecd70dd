// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/sweep_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tessera/errors.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/unit/runtime/study/small_sweep.hpp"

namespace tessera::sweep {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using testing::UnorderedElementsAre;

class SweepFiles : public testing::Test {
protected:
    SweepFiles() {
        std::ofstream(folder_ / "small.yaml")
            << "extends: moe_v2\nmesh: {shape: [1, 2]}\n"
               "params: {hidden: 64, intermediate: 64, experts: 4, top_k: 2}\n"
               "sweep:\n  question: q\n"
               "  cases: [{params.tokens: 64}, {params.tokens: 32}]\n"
               "  grid: {set.moe_bmm.k_block: [1, 4]}\n";
        const std::array folders{fs::path(TESSERA_SOURCE_DIR) / "configs"};
        sweep_ = config::load_sweep(folder_ / "small.yaml", std::span<const config::Override>(),
                                    folders);
        result_ = test::small_sweep();
        result_.points.erase(result_.points.begin() + 2);  // the point that is not in the file
    }

    static std::string text_of(const fs::path& path) {
        std::ostringstream text;
        text << std::ifstream(path).rdbuf();
        return text.str();
    }

    ScratchFolder scratch_;
    fs::path folder_ = scratch_.path();
    config::LoadedSweep sweep_;
    SweepResult result_;
};

TEST_F(SweepFiles, HoldTheBestOfEachCaseAsARunFile) {
    write_files(folder_ / "out", sweep_, result_);

    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_ / "out")) {
        names.push_back(entry.path().filename().string());
    }
    EXPECT_THAT(names,
                UnorderedElementsAre("sweep.csv", "sweep.html", "best_1.yaml", "best_2.yaml"));
    EXPECT_THAT(text_of(folder_ / "out/best_1.yaml"),
                AllOf(StartsWith("# From 4 points of the sweep small: Which K block is <best>?\n"
                                 "# tokens 64: best: k_block 4, 2.000 us; "),
                      HasSubstr("\n  tokens:\n    value: 64\n"), HasSubstr("\n    k_block: 4\n")));
    EXPECT_THAT(text_of(folder_ / "out/best_2.yaml"),
                AllOf(HasSubstr("\n  tokens:\n    value: 32\n"), HasSubstr("\n    k_block: 1\n")));
}

TEST_F(SweepFiles, LeaveOutACaseWithoutTimes) {
    result_.points[0].figures.reset();
    result_.points[1].figures.reset();

    const auto files = best_run_files(sweep_, result_);

    ASSERT_EQ(files.size(), 1U);
    EXPECT_EQ(files[0].name, "best_2.yaml");
}

TEST_F(SweepFiles, OfAnInterruptedSweepSaySo) {
    result_.is_interrupted = true;

    write_files(folder_ / "out", sweep_, result_);

    const char* note = "interrupted: 4 of 4 points have a time, the best is the best of these";
    EXPECT_THAT(text_of(folder_ / "out/best_1.yaml"), HasSubstr(std::string("\n# ") + note + "\n"));
    EXPECT_THAT(text_of(folder_ / "out/sweep.html"), HasSubstr(note));
}

TEST_F(SweepFiles, AreAllWrittenOrNone) {
    fs::create_directories(folder_ / "out/sweep.html");

    EXPECT_THROW(write_files(folder_ / "out", sweep_, result_), UsageError);

    EXPECT_FALSE(fs::exists(folder_ / "out/sweep.csv"));
    EXPECT_FALSE(fs::exists(folder_ / "out/best_1.yaml"));
}

}  // namespace
}  // namespace tessera::sweep
