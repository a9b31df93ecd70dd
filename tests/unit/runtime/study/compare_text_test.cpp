// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "runtime/study/compare.hpp"
#include "tessera/timing_spec.hpp"
#include "tests/unit/runtime/study/figures.hpp"

namespace tessera::compare {
namespace {

using test::run_of;
using test::step_of;

TEST(CompareText, ShowsStepsPartsAndVerdict) {
    auto a = run_of("a", {step_of("gate", 900'000, 1'000'000, 1'100'000),
                          step_of("silu", 50'000, 50'000, 50'000)});
    auto b = run_of("b", {step_of("gate", 700'000, 750'000, 1'200'000)});

    EXPECT_EQ(to_text(compare(a, b), {}),
              "A  a on n150\n"
              "B  b on n150\n"
              "\n"
              "  step      A    B  B − A     of A     interval  verdict\n"
              "  gate  1 000  750   −250  −25.0 %  −250 … +100  leaning: 66 % of 255 pairs\n"
              "  silu     50    –    −50        –    −50 … −50  robust: 100 % of 255 pairs\n"
              "  run   1 060  750   −310  −29.2 %   −310 … +40  leaning: 66 % of 255 pairs\n"
              "\n"
              "Where the difference of the run lies (critical paths, cycles)\n"
              "\n"
              "  activity              A    B  B − A\n"
              "  matmul            1 050  750   −300\n"
              "  between launches     10    0    −10\n"
              "\n"
              "  resource                                A    B  B − A\n"
              "  no transfer (kernels run or start)  1 050  750   −300\n"
              "  between launches                       10    0    −10\n"
              "\n"
              "  line                            A    B  B − A\n"
              "  gate: compute.cpp:7 (math)  1 000  750   −250\n"
              "  silu: compute.cpp:7 (math)     50    0    −50\n"
              "  between launches               10    0    −10\n"
              "\n"
              "B is 1.41 times as fast as A (leaning: 66 % of 255 pairs)\n");
}

TEST(CompareText, ShowsMicrosecondsWhereClocksDiffer) {
    auto a = run_of("a", {step_of("gate", 0, 1'000'000, 0)});
    auto b = a;
    b.clock = Hertz{2e9};

    const std::string text = to_text(compare(a, b), {});

    EXPECT_NE(text.find("  gate  1.000  0.500  −0.500  −50.0 %"), std::string::npos) << text;
}

TEST(CompareText, GroupsTheDigitsOfEachNumber) {
    const auto a = run_of("a", {step_of("gate", 0, 1'097'811'000, 0)});
    auto b = a;
    b.clock = Hertz{1e8};
    const std::string different_clocks = to_text(compare(a, b), {});

    EXPECT_NE(to_text(compare(a, a), {}).find("  gate  1 097 811  1 097 811 "), std::string::npos);
    EXPECT_NE(different_clocks.find("  gate  1 097.811  10 978.110  +9 880.299 "),
              std::string::npos)
        << different_clocks;
}

TEST(CompareText, NamesTheConstantsThatAloneChangeTheSign) {
    const auto a = run_of("a", {step_of("gate", 9'000, 10'000, 11'000)});
    const auto b = run_of("b", {step_of("gate", 8'000, 9'000, 10'000)});
    const MovedConstant moved{"timing.noc.hop", "20 cycles", a,
                              run_of("b", {step_of("gate", 0, 12'000, 0)})};

    const std::string text = to_text(compare(a, b, {moved}), {});

    EXPECT_NE(text.find("\nConstants that alone change the sign (B − A in cycles)\n"
                        "  run: +2 with timing.noc.hop = 20 cycles\n"
                        "  gate: +2 with timing.noc.hop = 20 cycles\n"
                        "\n"
                        "B is 1.11 times as fast as A (robust: 100 % of 255 pairs)\n"),
              std::string::npos)
        << text;
}

TEST(CompareText, SaysThatTwoRunsTakeTheSameTime) {
    const auto a = run_of("a", {step_of("gate", 9'000, 10'000, 11'000)});

    EXPECT_EQ(verdict_text(compare(a, a), {}), "A and B take the same time (equal)\n");
}

}  // namespace
}  // namespace tessera::compare
