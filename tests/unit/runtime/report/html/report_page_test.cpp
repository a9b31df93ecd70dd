// SPDX-License-Identifier: Apache-2.0
// report.html in a browser: opens, reacts to clicks and keys without complaints, and shows the
// numbers of report.json.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "runtime/report/device_rows.hpp"
#include "runtime/report/timing/report_files.hpp"
#include "tessera/timing_spec.hpp"
#include "tests/unit/runtime/report/html/browser.hpp"
#include "tests/unit/runtime/report/html/mesh_report.hpp"

namespace tessera::report {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

/// Parses the digits of a displayed number of cycles.
long long number(std::string text) {
    std::erase_if(text, [](char letter) { return letter < '0' || letter > '9'; });
    return std::stoll(text);
}

class ReportPage : public testing::Test {
protected:
    static void SetUpTestSuite() {
        const auto path = test::find_browser();
        if (!path) {
            return;
        }
        folder_ = fs::temp_directory_path() / fmt::format("tessera_report_page_{}", ::getpid());
        const config::Resolved config{
            {"name", "rule", "\"rule\"", "", {}, std::nullopt},
            {"arch.timing.risc.cb_push",
             "9 cycles",
             "9",
             "cycles",
             {},
             config::Fact{"assumed — like a store", "[5 cycles, 20 cycles]"}}};
        RunRecord record;
        record.findings = {{"pack_not_reserved", "pack_tile into a page that was not reserved",
                            "mine.cpp", "units.hpp", 31, "cb 16, 0 pages reserved", 64, 128}};
        write_report(folder_, mesh_report(), config, &record);
        std::ifstream(folder_ / "report.json") >> report_;
        browser_ = new test::Browser(*path);
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
        browser_->open(folder_ / "report.html");
    }
    void TearDown() override {
        if (browser_ != nullptr) {
            EXPECT_THAT(browser_->complaints(), IsEmpty());
        }
    }
    static const json& launch(std::size_t index) { return report_["launches"][index]; }

    static inline fs::path folder_;
    static inline json report_;
    static inline test::Browser* browser_ = nullptr;
};

TEST_F(ReportPage, ShowsTheMakespanOfTheRunAndOfAStep) {
    EXPECT_EQ(browser_->text("#run-name"), "rule <run>");
    EXPECT_EQ(number(browser_->text("#figures .figure .value")) * 1000,
              report_["makespan"]["expected"]);

    browser_->choose("#pick-launch", "1");

    EXPECT_EQ(number(browser_->text("#figures .figure .value")) * 1000,
              launch(1)["device_time"]["expected"]);
    EXPECT_EQ(number(browser_->text("#steps tbody tr:nth-child(2) td:nth-child(2)")) * 1000,
              launch(1)["device_time"]["expected"]);
}

TEST_F(ReportPage, ListsToleratedBehaviourOnceForEachLine) {
    EXPECT_EQ(browser_->evaluate("document.getElementById('findings').hidden"), false);
    EXPECT_EQ(browser_->text("#findings tbody tr td:nth-child(1)"), "units.hpp:31");
    EXPECT_EQ(browser_->text("#findings tbody tr td:nth-child(2)"),
              "pack_tile into a page that was not reserved");
    EXPECT_EQ(browser_->text("#findings tbody tr td:nth-child(4)"), "64");
    EXPECT_EQ(browser_->evaluate("document.querySelectorAll('#findings tbody tr').length"), 1);
}

// The page of a run that failed in its first step hides the links to its empty sections.
TEST_F(ReportPage, DoesNotDrawHiddenLinks) {
    EXPECT_EQ(browser_->evaluate("(() => { const nav = document.querySelector('.bar nav');"
                                 "nav.hidden = true;"
                                 "return getComputedStyle(nav).display; })()"),
              "none");
}

TEST_F(ReportPage, ClosesTheTimesOfTheChosenCore) {
    browser_->choose("#pick-launch", "0");
    browser_->choose("#pick-device", "0");
    browser_->click("#grid [data-x=\"3\"][data-y=\"2\"]");

    EXPECT_EQ(browser_->text("#core-name"), "Core device 0 (3,2)");
    const json math = browser_->evaluate(
        "[...document.querySelectorAll('#core-detail tbody tr')].map((row) => "
        "row.lastChild.textContent)");
    long long sum = 0;
    for (const json& cell : math) {
        sum += cell.get<std::string>().empty() ? 0 : number(cell.get<std::string>());
    }
    EXPECT_EQ(sum * 1000, launch(0)["makespan"]["expected"]);
}

// A step's window is the whole step at first; its reads visit the banks together.
TEST_F(ReportPage, DrawsBanksOverTheWindowOfTheTimeline) {
    browser_->choose("#pick-launch", "0");

    EXPECT_THAT(browser_->text("#banks-of"), ContainsRegex("in cycles 0 to 16[^0-9]+000:"));
    EXPECT_THAT(browser_->text("#banks-of"), ContainsRegex("they lie in 1\\.[0-9] of 6 banks"));
    EXPECT_THAT(browser_->text("#banks-legend"), ContainsRegex("[1-9][0-9]*\\.[0-9] B/cycle"));

    browser_->click("#zoom-in");

    EXPECT_THAT(browser_->text("#banks-of"),
                ContainsRegex("in cycles 4[^0-9]+000 to 12[^0-9]+000:"));
}

// A step with 1900 of the 2000 operations a cycle that DRAM allows it: the plot begins at 1000, above
// the roof of its left end. On logarithmic axes the roof rises by a decade in each decade.
TEST_F(ReportPage, DrawsTheRoofOfDramWithASlopeOfOne) {
    TimingReport report = mesh_report();
    report.peak.dram_bytes_per_cycle = 500;
    report.peak.flops_per_cycle = 500'000;
    report.launches[0].bound =
        Bound{.time = 1000, .by = "DRAM", .work = {.dram_bytes = 1e6, .products = 4e6}};
    report.launches[0].device_time.expected = 4'211'000;
    report.bound = report.launches[0].bound;
    const fs::path folder = folder_ / "roof";
    write_report(folder, report, {}, nullptr);
    browser_->open(folder / "report.html");

    const json slope = browser_->evaluate(
        "(() => { const plot = document.querySelector('#roof-plot');"
        " const points = plot.querySelector('polyline').getAttribute('points').split(' ')"
        "     .map((point) => point.split(',').map(Number));"
        " const at = (line, side) => Number(line.getAttribute(side));"
        " const lines = [...plot.querySelectorAll('line')];"
        " const xs = lines.filter((l) => at(l, 'x1') === at(l, 'x2')).map((l) => at(l, 'x1'));"
        " const ys = lines.filter((l) => at(l, 'y1') === at(l, 'y2')).map((l) => at(l, 'y1'));"
        " const decades = (points[0][1] - points[1][1]) / (ys[0] - ys[1]);"
        " return decades / ((points[1][0] - points[0][0]) / (xs[1] - xs[0])); })()");

    EXPECT_NEAR(slope.get<double>(), 1, 1e-9);
}

// The largest of both effects, 4 %, has the longest bar; without a value there is no bar.
TEST_F(ReportPage, DrawsTheConstantsThatTheRunDependsOn) {
    const json widths = browser_->evaluate(
        "[...document.querySelectorAll('#constants rect')].map((bar) => "
        "+bar.getAttribute('width'))");

    EXPECT_EQ(widths, json({75, 150, 0, 37.5}));
    EXPECT_THAT(browser_->text("#constants"), HasSubstr("−2.00 % at 25 B/cycle, +4.00 % at 22"));
}

TEST_F(ReportPage, ChoosesADeviceOnTheMapOfTheMesh) {
    browser_->click("#devices button:nth-child(2)");

    EXPECT_EQ(browser_->evaluate("document.getElementById('pick-device').value"), "1");
    EXPECT_EQ(browser_->evaluate("document.querySelectorAll('#devices button').length"), 2);
}

// Rows of the grid are consecutive; the first core of each row is named.
TEST_F(ReportPage, NamesTheColumnsOfStallsRowByRow) {
    const json names = browser_->evaluate(
        "[...document.querySelectorAll('#stack .column-name')].map((name) => name.textContent)"
        ".filter((text) => text)");
    std::vector<std::string> sorted = names;
    std::ranges::sort(sorted, {}, [](const std::string& name) { return name.substr(3); });

    EXPECT_EQ(names, json(sorted));
    EXPECT_EQ(browser_->text("#stack .stack-axis"), "100 %50 %0");
}

TEST_F(ReportPage, ColoursTheGridByAnyMetric) {
    browser_->choose("#pick-launch", "0");
    browser_->choose("#pick-device", "1");
    const json metrics = browser_->evaluate(
        "[...document.querySelectorAll('#pick-metric option')].map((o) => o.value)");
    ASSERT_GT(metrics.size(), 20U);
    for (const json& metric : metrics) {
        browser_->choose("#pick-metric", metric.get<std::string>());
    }

    browser_->choose("#pick-metric", "tile_products");

    const std::string label = browser_
                                  ->evaluate(
                                      "document.querySelector('#grid [data-x=\"7\"]"
                                      "[data-y=\"7\"]').ariaLabel")
                                  .get<std::string>();
    EXPECT_EQ(number(label.substr(label.find("products"))),
              unfold_devices(launch(0)["cores"]).back()["tile_products"]);
}

TEST_F(ReportPage, MovesThroughTheGridByKeys) {
    browser_->choose("#pick-device", "0");
    browser_->click("#grid [data-x=\"0\"][data-y=\"0\"]");
    browser_->press("ArrowRight");
    browser_->press("ArrowDown");
    browser_->press("ArrowDown");

    EXPECT_EQ(browser_->text("#core-name"), "Core device 0 (1,2)");
    EXPECT_EQ(browser_->evaluate("document.activeElement.dataset.y"), "2");
}

TEST_F(ReportPage, FollowsAWaitInTheTimelineByKeys) {
    browser_->choose("#pick-launch", "0");
    browser_->choose("#pick-device", "0");
    browser_->click("#grid [data-x=\"2\"][data-y=\"1\"]");
    browser_->evaluate("document.querySelector('#threads').focus()");
    browser_->press("n");
    browser_->press("ArrowDown");
    browser_->press("Home");
    while (browser_->text("#interval").find("wait for CB data") == std::string::npos) {
        browser_->press("p");
    }
    EXPECT_THAT(browser_->text("#interval"),
                HasSubstr("ended by device 0 (2,1) reader at ops/moe_bmm/kernels/reader.cpp:52"));

    browser_->press("Enter");

    EXPECT_THAT(browser_->text("#interval"), StartsWith("device 0 (2,1) reader"));
    browser_->press("+");
    browser_->press("ArrowRight");
    browser_->press("-");
}

TEST_F(ReportPage, ListsStallsAndThePathAsTheReportHasThem) {
    browser_->choose("#pick-launch", "0");

    const json rows = browser_->evaluate(
        "[...document.querySelectorAll('#stall-table tbody tr')].map((row) => "
        "[...row.children].map((cell) => cell.textContent))");
    ASSERT_EQ(rows.size(), launch(0)["stalls"].size());
    EXPECT_EQ(number(rows[0][4].get<std::string>()) * 1000, launch(0)["stalls"][0]["total"]);
    EXPECT_EQ(number(rows[0][5].get<std::string>()) * 1000, launch(0)["stalls"][0]["direct"]);
    long long path = 0;
    for (const json& cell :
         browser_->evaluate("[...document.querySelectorAll('#path-table tbody tr')].map((row) => "
                            "row.children[3].textContent)")) {
        path += number(cell.get<std::string>());
    }
    EXPECT_EQ(path * 1000, launch(0)["makespan"]["expected"]);
    browser_->click("#stall-table tbody tr");
    EXPECT_THAT(browser_->text("#interval"), HasSubstr("wait for"));
}

TEST_F(ReportPage, ShowsTheSourceWithTimeBesideItsLines) {
    browser_->choose("#pick-launch", "0");

    browser_->choose("#pick-source", "ops/moe_bmm/kernels/reader.cpp");

    const json texts = browser_->evaluate(
        "[...document.querySelectorAll('#source-table .source-text')].map((c) => c.textContent)");
    ASSERT_EQ(texts.size(), 60U);
    EXPECT_EQ(texts[30], "line 31 <of> it");
    const json& lines = launch(0)["lines"];
    const auto at = std::ranges::find(lines, "ops/moe_bmm/kernels/reader.cpp:47") - lines.begin();
    ASSERT_GT(launch(0)["line_times"][2 * at + 1], 0);
    EXPECT_THAT(browser_->text("#source-table tr[data-line=\"47\"] td:nth-child(3)"),
                HasSubstr("%"));
    EXPECT_EQ(browser_->text("#source-table tr[data-line=\"46\"] td:nth-child(3)"), "");
}

TEST_F(ReportPage, ShowsMemoryNetworksAndExperts) {
    browser_->choose("#pick-launch", "0");
    browser_->choose("#pick-device", "1");

    EXPECT_EQ(browser_->evaluate("document.querySelectorAll('#dram-table tbody tr').length"), 6);
    EXPECT_EQ(browser_->evaluate("document.querySelectorAll('#noc-maps svg').length"), 2);
    EXPECT_EQ(browser_->evaluate("document.querySelectorAll('#mesh-table tbody tr').length"), 2);
    EXPECT_EQ(browser_->evaluate("document.querySelectorAll('#mesh-links tbody tr').length"), 2);
    // 400 000 B in a third of the time.
    EXPECT_THAT(browser_->text("#mesh-links tbody tr"), HasSubstr("33"));
    EXPECT_EQ(browser_->evaluate("document.querySelectorAll('#buffer-charts canvas').length"), 1);
    EXPECT_EQ(browser_->evaluate("document.querySelectorAll('.expert').length"), 8);
    EXPECT_EQ(browser_->evaluate("document.querySelectorAll('#l1-table tbody tr').length"), 2);
    EXPECT_THAT(browser_->text("#assumed"), HasSubstr("arch.timing.dram.request_overhead"));
}

// 317 tokens in 31 700 cycles.
TEST_F(ReportPage, SumsUpTheStagesOfTheRun) {
    EXPECT_THAT(browser_->text("#stages-sum"), HasSubstr("317 tokens"));
    EXPECT_EQ(browser_->evaluate("document.querySelectorAll('#stage-table tbody tr').length"), 2);
    EXPECT_THAT(browser_->text("#stage-table tbody tr"), HasSubstr("up"));
    EXPECT_THAT(browser_->text("#stage-links tbody tr"), HasSubstr("gate"));
    EXPECT_THAT(browser_->text("#stage-memory tbody tr"), HasSubstr("weights4.00"));
}

TEST_F(ReportPage, FiltersTheConfiguration) {
    EXPECT_EQ(browser_->text("#config-count"), "2 of 2 keys");

    browser_->click("#config-assumed");

    EXPECT_EQ(browser_->text("#config-count"), "1 of 2 keys");
    EXPECT_THAT(browser_->text("#config-table"), HasSubstr("arch.timing.risc.cb_push"));
}

TEST_F(ReportPage, ChangesBetweenLightAndDark) {
    const std::string background = "getComputedStyle(document.body).backgroundColor";
    const json light = browser_->evaluate(background);

    browser_->click("#theme");

    const json dark = browser_->evaluate(background);
    EXPECT_NE(light, dark);
    browser_->prefer("dark");
    browser_->open(folder_ / "report.html");
    EXPECT_EQ(browser_->evaluate(background), dark) << "as the system prefers";
}

TEST_F(ReportPage, FitsANarrowWindow) {
    browser_->resize(390, 800);

    EXPECT_LE(browser_->evaluate("document.documentElement.scrollWidth").get<int>(), 390);
}

TEST_F(ReportPage, NeedsNothingFromOutside) {
    EXPECT_EQ(browser_->evaluate("performance.getEntriesByType('resource').length"), 0);
}

// $TESSERA_SCREENSHOTS names a folder for pictures of every part, for inspection by people.
TEST_F(ReportPage, CanBePhotographed) {
    const char* chosen = std::getenv("TESSERA_SCREENSHOTS");
    std::vector<std::string> parts{"#cores"};
    if (chosen != nullptr) {
        parts = {"header", "#summary", "#cores", "#timeline", "#stalls", "#path",   "#buffers",
                 "#noc",   "#dram",    "#mesh",  "#l1",       "#moe",    "#config", "body"};
    }
    const fs::path folder = chosen == nullptr ? folder_ : fs::path(chosen);
    for (const char* scheme : {"light", "dark"}) {
        for (const int width : {1400, 420}) {
            browser_->prefer(scheme);
            browser_->resize(width, 900);
            browser_->open(folder_ / "report.html");
            browser_->choose("#pick-launch", "0");
            for (const std::string& part : parts) {
                const fs::path file = folder / fmt::format("{}-{}-{}.png", scheme, width,
                                                           part.substr(part[0] == '#'));
                browser_->screenshot(part, file);
                EXPECT_GT(fs::file_size(file), 500U) << file;
            }
        }
    }
}

}  // namespace
}  // namespace tessera::report
