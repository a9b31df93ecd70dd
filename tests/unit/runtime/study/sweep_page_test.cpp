// SPDX-License-Identifier: Apache-2.0
// sweep.html in a browser: opens without complaints and shows the numbers of sweep.csv.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "runtime/study/sweep_files.hpp"
#include "tests/unit/runtime/report/html/browser.hpp"
#include "tests/unit/runtime/study/small_sweep.hpp"

namespace tessera::sweep {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

class SweepPage : public testing::Test {
protected:
    static void SetUpTestSuite() {
        const auto path = tessera::test::find_browser();
        if (!path) {
            return;
        }
        folder_ = fs::temp_directory_path() / fmt::format("tessera_sweep_page_{}", ::getpid());
        fs::create_directories(folder_);
        std::ofstream(folder_ / "sweep.html") << to_html(test::small_sweep());
        browser_ = new tessera::test::Browser(*path);
    }
    static void TearDownTestSuite() {
        delete browser_;
        browser_ = nullptr;
        fs::remove_all(folder_);
    }
    void SetUp() override {
        if (browser_ == nullptr) {
            GTEST_SKIP() << "no Chromium found: set TESSERA_BROWSER to one to run this test";
        }
        browser_->resize(1400, 900);
        browser_->prefer("light");
        browser_->open(folder_ / "sweep.html");
    }
    void TearDown() override {
        if (browser_ != nullptr) {
            EXPECT_THAT(browser_->complaints(), IsEmpty());
        }
    }
    static json texts(const std::string& selector) {
        return browser_->evaluate("[...document.querySelectorAll('" + selector +
                                  "')].map((node) => node.textContent)");
    }

    static inline fs::path folder_;
    static inline tessera::test::Browser* browser_ = nullptr;
};

TEST_F(SweepPage, IsHeadedByTheQuestionAndAnswersIt) {
    EXPECT_EQ(browser_->text("h1"), "small");
    EXPECT_EQ(browser_->text("header p"), "Which K block is <best>?");
    EXPECT_EQ(texts("section:first-of-type p"),
              json({"tokens 64: best: k_block 4, 2.000 us; k_block 1 takes 1.50 times as long "
                    "(robust: 100 % of 255 pairs)",
                    "tokens 32: best: k_block 1, 1.000 us; k_block 4 takes 1.50 times as long "
                    "(leaning: 66 % of 255 pairs)"}));
}

TEST_F(SweepPage, HasARowForEachPoint) {
    EXPECT_EQ(texts("#ranking tbody tr:nth-child(2) td"),
              json({"2", "64", "1", "3.000", "2.500", "4.000", "1.50", "robust: 100 % of 255 pairs",
                    "matmul 100 %"}));
    EXPECT_EQ(texts("#failures tbody td").at(0), "tokens 64: k_block 1024");
    EXPECT_THAT(browser_->text("body"), HasSubstr("CBs take more than L1, \"all\" of it"));
}

// Returns the sweep with a schedule name in place of each K block.
SweepResult sweep_of_names() {
    SweepResult result = test::small_sweep();
    result.keys[1] = "set.moe_bmm.distribution";
    result.labels[1] = "distribution";
    for (PointResult& point : result.points) {
        point.values[1] = point.values[1] == "1" ? "round_robin" : "block";
    }
    return result;
}

TEST_F(SweepPage, DrawsBarsAsLongAsTheTimes) {
    const auto width = [](const std::string& label) {
        return browser_
            ->evaluate("document.querySelector('[aria-label^=\"" + label +
                       "\"] .fill').getBoundingClientRect().width")
            .get<double>();
    };

    EXPECT_NEAR(width("k_block 1: 3.000 us") / width("k_block 4: 2.000 us"), 3.0 / 2.0, 0.01);
}

TEST_F(SweepPage, SaysHowMuchEachKeyChanges) {
    // tokens: factors 3 and 4/3, so the geometric mean is 2; k_block: 1.5 twice.
    EXPECT_EQ(texts("#effects tbody tr:first-child td"),
              json({"params.tokens", "100.0\u00a0%", "", "200.0\u00a0%", "2", "32 in 2 of 2"}));
    EXPECT_EQ(texts("#effects tbody tr:nth-child(2) td"),
              json({"set.moe_bmm.k_block", "50.0\u00a0%", "", "50.0\u00a0%", "2",
                    "1 in 1 of 2, 4 in 1"}));
}

TEST_F(SweepPage, MarksTimesAtRoundNumbers) {
    const json marks = texts("#key-charts svg:first-of-type text");

    for (const char* mark : {"0 us", "1 us", "2 us", "3 us", "4 us"}) {
        EXPECT_THAT(marks.get<std::vector<std::string>>(), testing::Contains(mark));
    }
}

TEST_F(SweepPage, JoinsNumbersByLinesButNotNames) {
    EXPECT_EQ(texts(".key-chart:nth-child(2) polyline").size(), 2U) << "one for each of two cases";

    std::ofstream(folder_ / "names.html") << to_html(sweep_of_names());
    browser_->open(folder_ / "names.html");

    EXPECT_EQ(texts(".key-chart:nth-child(2) polyline").size(), 0U);
    EXPECT_EQ(texts(".key-chart:nth-child(2) .dot").size(), 4U);
    EXPECT_EQ(texts(".key-chart:nth-child(2) .label"), json({"round_robin", "block"}));
}

TEST_F(SweepPage, CutsNoLabel) {
    SweepResult result = sweep_of_names();
    for (PointResult& point : result.points) {
        point.values[1] += std::string(60, '_') + "in_very_many_words";
    }
    std::ofstream(folder_ / "long.html") << to_html(result);
    for (const int width : {1400, 420}) {
        browser_->resize(width, 900);
        browser_->open(folder_ / "long.html");

        EXPECT_EQ(browser_->evaluate("[...document.querySelectorAll('.label')].filter((label) => "
                                     "label.scrollWidth > label.clientWidth || "
                                     "label.getBoundingClientRect().left < 0).length"),
                  0)
            << width;
    }
}

TEST_F(SweepPage, LooksAsTheSystemPrefers) {
    const std::string background = "getComputedStyle(document.body).backgroundColor";
    const std::string ink = "getComputedStyle(document.querySelector('svg text')).fill";
    const json light = browser_->evaluate(background);
    const json dark_ink = browser_->evaluate(ink);

    browser_->prefer("dark");
    browser_->open(folder_ / "sweep.html");

    EXPECT_NE(browser_->evaluate(background), light);
    EXPECT_NE(browser_->evaluate(ink), dark_ink);
}

TEST_F(SweepPage, FitsANarrowWindow) {
    browser_->resize(420, 800);

    EXPECT_LE(browser_->evaluate("document.documentElement.scrollWidth").get<int>(), 420);
}

TEST_F(SweepPage, NeedsNothingFromOutside) {
    EXPECT_EQ(browser_->evaluate("performance.getEntriesByType('resource').length"), 0);
}

// $TESSERA_SCREENSHOTS names a folder for pictures, for inspection by people.
TEST_F(SweepPage, CanBePhotographed) {
    const char* chosen = std::getenv("TESSERA_SCREENSHOTS");
    const fs::path folder = chosen == nullptr ? folder_ : fs::path(chosen);
    for (const char* scheme : {"light", "dark"}) {
        for (const int width : {1400, 420}) {
            browser_->prefer(scheme);
            browser_->resize(width, 900);
            browser_->open(folder_ / "sweep.html");
            const fs::path file = folder / fmt::format("sweep-{}-{}.png", scheme, width);
            browser_->screenshot("body", file);
            EXPECT_GT(fs::file_size(file), 5000U) << file;
        }
    }
}

}  // namespace
}  // namespace tessera::sweep
