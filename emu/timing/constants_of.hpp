// SPDX-License-Identifier: Apache-2.0
// Names the constants that make up a time, so that a report can say how much of a makespan rests on
// assumed ones.
#pragma once

#include <span>
#include <string_view>

#include "tessera/timeline.hpp"

namespace tessera::timing {

/// Returns the keys below `timing` of an arch file ("risc.read_issue") that price `activity`; a key
/// that ends in '.' stands for all below it. Of waits only the keys that cap outstanding requests:
/// the rest of a wait is priced by what ended it.
/// Where the activity is a wait for a transfer, `passed` is what the transfer passed at that time,
/// and the keys are those that make that longer.
[[nodiscard]] std::span<const std::string_view> constants_of(
    Activity activity, ResourceKind passed = ResourceKind::None) noexcept;
/// Returns the keys that price the time from a program to the next.
[[nodiscard]] std::span<const std::string_view> constants_of_gaps() noexcept;

}  // namespace tessera::timing
