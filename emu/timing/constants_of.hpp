// SPDX-License-Identifier: Apache-2.0
// Which constants of a TimingSpec time is made of, so that a report can say how much of a makespan
// rests on those that are assumed.
#pragma once

#include <span>
#include <string_view>

#include "tessera/timeline.hpp"

namespace tessera::timing {

/// Keys below `timing` of an arch file ("risc.read_issue"), each of which may make the activity
/// longer; of waits only those that limit what is under way, since a wait is made of what ended it.
/// A key that ends in '.' stands for all below it.
/// Where the activity is a wait for a transfer and `passed` says what the transfer passed then,
/// the keys that make that longer.
[[nodiscard]] std::span<const std::string_view> constants_of(
    Activity activity, ResourceKind passed = ResourceKind::None) noexcept;
/// The same for the time from a program to the next.
[[nodiscard]] std::span<const std::string_view> constants_of_gaps() noexcept;

}  // namespace tessera::timing
