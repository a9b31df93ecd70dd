// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/number_text.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace tessera::report {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(ShowCount, IsExactBelowAHundredThousand) {
    EXPECT_EQ(show_count(0), "0");
    EXPECT_EQ(show_count(2.5), "2.5");
    EXPECT_EQ(show_count(99'999), "99999");
}

TEST(ShowCount, HasThreeDigitsAbove) {
    EXPECT_EQ(show_count(100'000), "100 k");
    EXPECT_EQ(show_count(999'499), "999 k");
    EXPECT_EQ(show_count(999'600), "1.00 M");
    EXPECT_EQ(show_count(1'234'567), "1.23 M");
    EXPECT_EQ(show_count(98.76e9), "98.8 G");
}

TEST(ShowChange, HasTheSignOfTheOtherNumbersOfATable) {
    EXPECT_EQ(show_change(0.152), "+15.2 %");
    EXPECT_EQ(show_change(-0.365), "−36.5 %");
    EXPECT_EQ(show_change(-0.0001), "0.0 %");
}

TEST(ShowBytes, HasBinaryPrefixes) {
    EXPECT_EQ(show_bytes(1023), "1023 B");
    EXPECT_EQ(show_bytes(1536), "1.50 KiB");
    EXPECT_EQ(show_bytes(12.0 * 1024 * 1024), "12.0 MiB");
    EXPECT_EQ(show_bytes(1023.9 * 1024), "1.00 MiB");
    EXPECT_EQ(show_bytes(3.0 * 1024 * 1024 * 1024), "3.00 GiB");
}

TEST(ShowCycles, HasGroupsOfThreeDigits) {
    EXPECT_EQ(show_cycles(999'499), "999");
    EXPECT_EQ(show_cycles(1'000'000), "1 000");
    EXPECT_EQ(show_cycles(1'097'811'000), "1 097 811");
}

TEST(ShowMicroseconds, HasGroupsBeforeThePoint) {
    EXPECT_EQ(show_microseconds(999'999), "999.999");
    EXPECT_EQ(show_microseconds(1'234'567.8), "1 234.568");
    EXPECT_EQ(show_microseconds(-123'000), "-123.000");
}

TEST(ShowSeconds, ChoosesTheUnit) {
    EXPECT_EQ(show_seconds(0.000'25), "250 us");
    EXPECT_EQ(show_seconds(0.0456), "45.6 ms");
    EXPECT_EQ(show_seconds(1.234), "1.23 s");
    EXPECT_EQ(show_seconds(120), "120 s");
}

TEST(ShowShare, DoesNotShowWorkAsNone) {
    EXPECT_EQ(show_share(0), "0 %");
    EXPECT_EQ(show_share(0.001), "<1 %");
    EXPECT_EQ(show_share(0.5), "50 %");
    EXPECT_EQ(show_share(1), "100 %");
}

TEST(ShowPcc, NeverRoundsUpToOne) {
    EXPECT_EQ(show_pcc(1), "1");
    EXPECT_EQ(show_pcc(0.999'999'9), "0.999999");
    EXPECT_EQ(show_pcc(-0.5), "-0.500000");
}

TEST(ShowError, ShowsExactAndInfinite) {
    EXPECT_EQ(show_error(0), "0");
    EXPECT_EQ(show_error(0.003'81), "3.8e-03");
    EXPECT_EQ(show_error(kInf), "inf");
}

}  // namespace
}  // namespace tessera::report
