// SPDX-License-Identifier: Apache-2.0
// Words of timelines in reports: keys for programs, labels for people.
#pragma once

#include <string>
#include <string_view>

#include "tessera/timeline.hpp"

namespace tessera::report {

/// Returns the key of an activity in JSON: "wait_cb_data".
[[nodiscard]] std::string_view key_of(Activity activity) noexcept;
/// Returns the label of an activity: "wait for CB data".
[[nodiscard]] std::string_view label_of(Activity activity) noexcept;
/// Returns the key of a resource: "dram".
[[nodiscard]] std::string_view key_of(ResourceKind kind) noexcept;
/// Returns the label of a resource: "DRAM".
[[nodiscard]] std::string_view label_of(ResourceKind kind) noexcept;
inline constexpr std::size_t kNumTimelineThreads = 5;
/// Returns "reader", "writer", "unpack", "math" or "pack".
[[nodiscard]] std::string_view label_of(TimelineThread thread) noexcept;

/// Returns the object of a wait without its core and bank: "CB 3", "DRAM", "L1 of a core",
/// "L1 address 0x8130", "DST", "link channel 5".
[[nodiscard]] std::string object_class(Activity activity, std::uint32_t object);
/// Returns the object of a wait with its core or bank: "DRAM bank 3", "L1 of (1,2)".
[[nodiscard]] std::string object_name(Activity activity, std::uint32_t object);

}  // namespace tessera::report
