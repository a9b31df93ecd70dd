// SPDX-License-Identifier: Apache-2.0
// The words of timelines as reports write them: keys for machines, names for people.
#pragma once

#include <string>
#include <string_view>

#include "tessera/timeline.hpp"

namespace tessera::report {

/// "wait_cb_data": as JSON has it.
[[nodiscard]] std::string_view key_of(Activity activity) noexcept;
/// "wait for CB data".
[[nodiscard]] std::string_view label_of(Activity activity) noexcept;
/// "dram".
[[nodiscard]] std::string_view key_of(ResourceKind kind) noexcept;
/// "DRAM".
[[nodiscard]] std::string_view label_of(ResourceKind kind) noexcept;
inline constexpr std::size_t kNumTimelineThreads = 5;
/// "reader", "writer", "unpack", "math" or "pack".
[[nodiscard]] std::string_view label_of(TimelineThread thread) noexcept;

/// What a wait waits for, its core and bank left out: "CB 3", "DRAM", "L1 of a core",
/// "L1 address 0x8130", "DST", "link channel 5".
[[nodiscard]] std::string object_class(Activity activity, std::uint32_t object);
/// What a wait waits for, with its core or bank: "DRAM bank 3", "L1 of (1,2)".
[[nodiscard]] std::string object_name(Activity activity, std::uint32_t object);

}  // namespace tessera::report
