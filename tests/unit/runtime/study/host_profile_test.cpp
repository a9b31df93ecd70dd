// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/host_profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstring>

#include "tessera/errors.hpp"

namespace tessera::host_profile {
namespace {

using testing::HasSubstr;

[[gnu::noinline]] double burn(std::chrono::milliseconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    double sum = 0;
    while (std::chrono::steady_clock::now() < end) {
        for (int i = 0; i < 1000; ++i) {
            sum += std::sqrt(static_cast<double>(i));
        }
    }
    return sum;
}

TEST(HostProfile, KnowsStaticFunctionsOfTheProgramByName) {
    const Symbols symbols;

    const CodePlace place = symbols.place_of(reinterpret_cast<std::uint64_t>(&burn));

    EXPECT_THAT(place.function, HasSubstr("burn"));
    EXPECT_EQ(place.library, "");
}

TEST(HostProfile, KnowsTheLibraryOfOtherFunctions) {
    const Symbols symbols;

    EXPECT_THAT(symbols.place_of(reinterpret_cast<std::uint64_t>(&std::fopen)).library,
                HasSubstr("libc.so"));
}

TEST(HostProfile, TellsWorkByWhereTheCodeLies) {
    EXPECT_EQ(work_of({"_ZN7tessera4tile6N_AVX212_GLOBAL__N_114multiply_tilesEPKf", ""}),
              Work::TileMaths);
    EXPECT_EQ(work_of({"_Z13cb_wait_frontjjN7tessera8CallSiteE", ""}), Work::Switches);
    EXPECT_EQ(work_of({"", "/lib/x86_64-linux-gnu/libc.so.6"}), Work::Copies);
    EXPECT_EQ(work_of({"", "/usr/lib/libboost_context.so.1.74.0"}), Work::Switches);
    EXPECT_EQ(work_of({"_Z11kernel_mainv", ""}), Work::Other);
}

TEST(HostProfile, CountsKernelsOnly) {
    const auto here = reinterpret_cast<std::uint64_t>(&burn);
    const Samples samples{{{here, true}, {here, false}, {here, true}}, 0.25};

    const HostProfile profile = profile_of(samples, Symbols());

    EXPECT_DOUBLE_EQ(profile.seconds[static_cast<std::size_t>(Work::Other)], 0.5);
}

TEST(Sampler, SamplesAddUpToTheProcessorTimeSpent) {
    Sampler sampler;
    EXPECT_GT(burn(std::chrono::milliseconds(200)), 0);

    const Samples samples = sampler.stop();

    ASSERT_GT(samples.samples.size(), 5U);
    EXPECT_LE(samples.seconds_each * static_cast<double>(samples.samples.size()), 0.3);
    EXPECT_TRUE(sampler.stop().samples.empty());
}

TEST(Sampler, RefusesASecondOne) {
    const Sampler sampler;

    EXPECT_THROW(Sampler(), UsageError);
}

TEST(HostProfile, TextHasEveryPhaseTheOpsAndTheIdleRest) {
    report::RunRecord record{.num_threads = 2};
    record.steps.push_back({.name = "gate", .op = "moe_bmm", .host_seconds = 1.5});
    record.steps.push_back({.name = "silu", .op = "silu", .host_seconds = 0.5});
    record.steps.push_back({.name = "up", .op = "moe_bmm", .host_seconds = 1});
    record.host = {.load = 1, .launch = 3, .verify = 2, .timing = 1, .beside = 0.5, .total = 9};
    const HostProfile profile{{3, 1.5, 0.6, 0.3}};

    EXPECT_EQ(profile_text(record, 1, profile, {}),
              "  host time                      s  share\n"
              "  load                       1.000   10 %\n"
              "  tensors made and moved     2.000   20 %\n"
              "  kernels                    3.000   30 %\n"
              "    moe_bmm                  2.500   25 %\n"
              "    silu                     0.500    5 %\n"
              "  verify                     2.000   20 %\n"
              "  timing                     1.000   10 %\n"
              "    beside the phases above  0.500    5 %\n"
              "  report                     1.000   10 %\n"
              "\n"
              "  kernels on 2 threads      s  share\n"
              "  tile maths            3.000   50 %\n"
              "  copies                1.500   25 %\n"
              "  switches              0.600   10 %\n"
              "  other                 0.300    5 %\n"
              "  idle                  0.600   10 %\n");
}

}  // namespace
}  // namespace tessera::host_profile
