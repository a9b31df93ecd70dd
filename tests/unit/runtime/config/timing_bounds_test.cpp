// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/timing_bounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "runtime/config/load.hpp"

namespace tessera::config {
namespace {

const std::filesystem::path kArchs = std::filesystem::path(TESSERA_SOURCE_DIR) / "configs" / "arch";
const std::filesystem::path kWormhole = kArchs / "wormhole_n150.yaml";

double cycles_of(const TimingSpec& spec, std::string_view function) {
    const auto& functions = spec.sfpu.functions;
    const auto found =
        std::ranges::find(functions, function, &std::pair<std::string, Cycles>::first);
    return found == functions.end() ? -1 : found->second.value;
}

TEST(TimingBounds, ACostIsLowAtTheLeastOfItsRange) {
    const TimingBounds timing = load_arch(kWormhole).timing;

    // read_issue: {value: 24.6 cycles, range: [24.6 cycles, 45 cycles]}
    EXPECT_EQ(timing.low.risc.read_issue, Cycles{24.6});
    EXPECT_EQ(timing.expected.risc.read_issue, Cycles{24.6});
    EXPECT_EQ(timing.high.risc.read_issue, Cycles{45});
}

TEST(TimingBounds, ARateIsLowAtTheMostOfItsRange) {
    const TimingBounds timing = load_arch(kWormhole).timing;

    // multicast_rate: {value: 30.5 B/cycle, range: [28 B/cycle, 31.3 B/cycle]}
    EXPECT_EQ(timing.low.noc.multicast_rate, BytesPerCycle{31.3});
    EXPECT_EQ(timing.expected.noc.multicast_rate, BytesPerCycle{30.5});
    EXPECT_EQ(timing.high.noc.multicast_rate, BytesPerCycle{28});
}

TEST(TimingBounds, AConstantWithoutARangeIsTheSameThrice) {
    const TimingBounds timing = load_arch(kWormhole).timing;

    EXPECT_EQ(timing.low.clock, Hertz{1e9});
    EXPECT_EQ(timing.low.link.rate, BytesPerSecond{12.5e9});
    EXPECT_EQ(timing.high.link.rate, BytesPerSecond{12.5e9});
}

TEST(TimingBounds, AnOverrideHasNoRange) {
    const std::array overrides{parse_set("timing.risc.read_issue=50 cycles"),
                               parse_set("timing.noc.multicast_rate.value=10 B/cycle")};

    const TimingBounds timing = load_arch(kWormhole, overrides).timing;

    for (const TimingSpec& spec : {timing.low, timing.expected, timing.high}) {
        EXPECT_EQ(spec.risc.read_issue, Cycles{50});
        EXPECT_EQ(spec.noc.multicast_rate, BytesPerCycle{10});
    }
}

TEST(TimingBounds, FunctionsOfTheVectorUnitGoByName) {
    const std::array overrides{parse_set("timing.sfpu.functions.mine=77 cycles")};

    const LoadedArch loaded = load_arch(kWormhole, overrides);

    EXPECT_EQ(cycles_of(loaded.timing.expected, "gelu_approx"), 255.9);
    EXPECT_EQ(cycles_of(loaded.timing.low, "sigmoid_approx"), 197.8);
    EXPECT_EQ(cycles_of(loaded.timing.expected, "mine"), 77);
    EXPECT_TRUE(std::ranges::is_sorted(loaded.timing.high.sfpu.functions));
    const ResolvedValue* gelu = find(loaded.resolved, "timing.sfpu.functions.gelu_approx");
    ASSERT_NE(gelu, nullptr);
    EXPECT_EQ(gelu->unit, "cycles");
    ASSERT_TRUE(gelu->fact.has_value());
}

TEST(TimingBounds, AssumedConstantsAreListedWithTheRest) {
    const LoadedArch loaded = load_arch(kWormhole);

    const auto list = assumed(loaded.resolved);

    EXPECT_TRUE(std::ranges::any_of(
        list, [](const ResolvedValue* value) { return value->path == "timing.risc.cb_wait"; }));
    EXPECT_FALSE(std::ranges::any_of(
        list, [](const ResolvedValue* value) { return value->path == "timing.noc.hop"; }));
}

}  // namespace
}  // namespace tessera::config
