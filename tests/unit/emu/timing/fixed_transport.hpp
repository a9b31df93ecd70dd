// SPDX-License-Identifier: Apache-2.0
// Times of the transport that engine tests link, from a transfer's start.
#pragma once

#include "tessera/timeline.hpp"

namespace tessera::timing::fixed {

inline constexpr Millicycles kRead = 200'000;  ///< bytes are in the local L1
inline constexpr Millicycles kDeparted = 30'000;
inline constexpr Millicycles kDelivered = 100'000;
inline constexpr Millicycles kAcknowledged = 150'000;

}  // namespace tessera::timing::fixed
