// SPDX-License-Identifier: Apache-2.0
// Numbers that weight_stream.hpp shares with the host program.
#pragma once

#include <cstdint>

namespace tessera::ops {

/// Pushes of weights that may be on their way to a core.
inline constexpr std::uint32_t kPushesInFlight = 2;

}  // namespace tessera::ops
