// SPDX-License-Identifier: Apache-2.0
// Constants that price a time, against the keys of arch files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "runtime/config/field_table.hpp"

namespace tessera::config {
namespace {

using testing::IsSupersetOf;
using testing::Not;
using testing::UnorderedElementsAre;

std::vector<std::string> keys_of(std::span<const PricedConstant> constants) {
    std::vector<std::string> keys;
    for (const PricedConstant& constant : constants) {
        keys.push_back(constant.key);
    }
    return keys;
}

std::vector<std::string> all_constants() {
    std::vector<std::string> all = keys_of(constants_of_gaps());
    for (std::size_t i = 0; i < kNumActivities; ++i) {
        for (std::size_t passed = 0; passed < kNumResourceKinds; ++passed) {
            const auto keys =
                keys_of(constants_of(static_cast<Activity>(i), static_cast<ResourceKind>(passed)));
            all.insert(all.end(), keys.begin(), keys.end());
        }
    }
    return all;
}

bool stands_for(std::string_view constant, std::string_view key) {
    return constant.ends_with('.') ? key.starts_with(constant) : key == constant;
}

TEST(TimingPrices, EveryKeyPricesATimeButThoseListedHere) {
    const auto constants = all_constants();
    std::vector<std::string> of_none;
    for (const FieldRow& row : flatten(timing_fields())) {
        if (std::ranges::none_of(constants, [&](const std::string& constant) {
                return stands_for(constant, row.path);
            })) {
            of_none.push_back(row.path);
        }
    }
    std::erase_if(of_none, [](const std::string& key) { return key.starts_with("model_error."); });

    // Constants that are subtracted from another cost.
    EXPECT_THAT(of_none, UnorderedElementsAre("risc.loop_control"));
}

TEST(TimingPrices, AKeyOfAMapStandsForAllBelowIt) {
    EXPECT_THAT(
        keys_of(constants_of(Activity::Sfpu)),
        UnorderedElementsAre("sfpu.start", "sfpu.other", "sfpu.instruction", "sfpu.functions."));
}

// With one list for all latencies, a run with reads only would depend on the latency of atomics.
TEST(TimingPrices, LatencyDependsOnWhatTheThreadWaitsFor) {
    const auto latency_of = [](Activity wait) {
        return keys_of(constants_of(wait, ResourceKind::NocLatency));
    };

    EXPECT_THAT(latency_of(Activity::WaitNocRead), IsSupersetOf({"noc.hop", "noc.l1_read"}));
    EXPECT_THAT(latency_of(Activity::WaitNocRead), Not(testing::Contains("noc.atomic")));
    EXPECT_THAT(latency_of(Activity::WaitNocWrite), IsSupersetOf({"noc.hop", "noc.l1_write"}));
    EXPECT_THAT(latency_of(Activity::WaitNocWrite), Not(testing::Contains("noc.atomic")));
    EXPECT_THAT(latency_of(Activity::WaitSemaphore), IsSupersetOf({"noc.hop", "noc.atomic"}));
}

TEST(TimingPrices, AConstantHasTheBoundOfItsKey) {
    for (const PricedConstant& constant : constants_of(Activity::Unpack)) {
        EXPECT_EQ(constant.bound, bound_of(constant.key)) << constant.key;
    }
}

}  // namespace
}  // namespace tessera::config
