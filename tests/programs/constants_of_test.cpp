// SPDX-License-Identifier: Apache-2.0
// The table of what time is made of, against the keys of arch files.
#include "emu/timing/constants_of.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "runtime/config/field_table.hpp"

namespace tessera::timing {
namespace {

std::vector<std::string_view> all_constants() {
    std::vector<std::string_view> all;
    const auto add = [&](std::span<const std::string_view> keys) {
        all.insert(all.end(), keys.begin(), keys.end());
    };
    for (std::size_t i = 0; i < kNumActivities; ++i) {
        for (std::size_t passed = 0; passed < kNumResourceKinds; ++passed) {
            add(constants_of(static_cast<Activity>(i), static_cast<ResourceKind>(passed)));
        }
    }
    add(constants_of_gaps());
    return all;
}

bool stands_for(std::string_view constant, std::string_view key) {
    return constant.ends_with('.') ? key.starts_with(constant) : key == constant;
}

/// Of instructions and Ethernet cores that no kernel runs, which only measurements are predicted
/// by; what is taken off another cost; and errors of the model, which widen intervals.
bool is_never_replayed(std::string_view key) {
    return key.starts_with("instruction.") || key.starts_with("model_error.") ||
           key.starts_with("link.core_") || key == "risc.loop_control";
}

TEST(ConstantsOf, StandForEveryKeyOfAReplay) {
    const auto constants = all_constants();

    for (const config::FieldRow& row : config::flatten(config::timing_fields())) {
        if (is_never_replayed(row.path)) {
            continue;
        }
        EXPECT_TRUE(std::ranges::any_of(constants, [&](auto constant) {
            return stands_for(constant, row.path);
        })) << row.path;
    }
}

TEST(ConstantsOf, AreKeys) {
    const auto rows = config::flatten(config::timing_fields());

    for (const std::string_view constant : all_constants()) {
        EXPECT_TRUE(std::ranges::any_of(rows, [&](const auto& row) {
            return stands_for(constant, row.path);
        })) << constant;
    }
}

}  // namespace
}  // namespace tessera::timing
