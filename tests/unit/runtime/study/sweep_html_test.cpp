// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/sweep_html.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/study/plot.hpp"
#include "tests/unit/runtime/study/small_sweep.hpp"

namespace tessera::sweep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(SweepPage, NeedsNeitherNetworkNorScript) {
    const std::string page = to_html(test::small_sweep());

    for (const char* foreign : {"http:", "https:", "<script", "<link", "@import", "url("}) {
        EXPECT_THAT(page, Not(HasSubstr(foreign)));
    }
}

TEST(SweepPage, EscapesWhatTheFileSays) {
    const std::string page = to_html(test::small_sweep());

    EXPECT_THAT(page, HasSubstr("Which K block is &lt;best&gt;?"));
    EXPECT_THAT(page, Not(HasSubstr("<best>")));
    EXPECT_THAT(page, HasSubstr("CBs take more than L1, &quot;all&quot; of it"));
}

TEST(SweepAxis, IsByNumberWhereAllValuesHaveOneUnit) {
    SweepResult result = test::small_sweep();
    result.points[0].values[1] = "16 KiB";
    result.points[1].values[1] = "4 KiB";
    result.points[2].values[1] = "128 KiB";
    result.points[3].values[1] = "4 KiB";
    result.points[4].values[1] = "";

    EXPECT_THAT(axis_of(result, 1), ElementsAre("4 KiB", "16 KiB", "128 KiB"));
    result.points[2].values[1] = "1 MiB";
    EXPECT_THAT(axis_of(result, 1), ElementsAre("16 KiB", "4 KiB", "1 MiB"));
}

TEST(SweepPlot, DrawsBarsInProportion) {
    const std::string plot = bar_plot({{"a", {100, 200, 400}}, {"b", {50, 100, 100}}});

    // 560 wide for 400 ns.
    EXPECT_THAT(plot, HasSubstr("width=\"280.0\" height=\"14.0\" fill=\"var(--bar)\"><title>a: "
                                "0.20 us (0.10 us to 0.40 us)</title>"));
    EXPECT_THAT(plot, HasSubstr("width=\"140.0\" height=\"14.0\" fill=\"var(--bar)\"><title>b: "));
}

TEST(SweepPlot, MarksTimesAtRoundNumbers) {
    const std::string plot = line_plot({"k", {"1", "2"}, {{"", {{0, {1, 2'100, 9'700}}}}}});

    for (const char* tick : {">0 us<", ">2.5 us<", ">5 us<", ">7.5 us<", ">10 us<"}) {
        EXPECT_THAT(plot, HasSubstr(tick));
    }
}

}  // namespace
}  // namespace tessera::sweep
