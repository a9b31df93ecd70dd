// SPDX-License-Identifier: Apache-2.0
// Slices that pass a device in one direction of a line or ring.
#pragma once

#include <cstdint>

#include "ops/shared/mesh_line.hpp"

namespace tessera::ops::all_gather {

/// Route of the opposite device's slice on a ring of even length.
enum class FarthestSlice : std::uint8_t { HalfEachWay, Forward };

/// Slices that one device handles in one direction, its own first, then that of the device before,
/// and so on backwards.
struct Travel {
    std::uint32_t num_sent = 0;      ///< own slice and those passed on
    std::uint32_t num_received = 0;  ///< from the device before, in the same order
    /// Half of the farthest slice goes in each direction; it is the last slice sent and received.
    bool is_last_halved = false;
};

/// Returns the travel of the device at `position` of `devices`.
[[nodiscard]] constexpr Travel travel_on_line(std::uint32_t devices, std::uint32_t position,
                                              Way way) noexcept {
    const std::uint32_t before = way == Way::Forward ? position : devices - 1 - position;
    return {before + 1 < devices ? before + 1 : 0, before, false};
}

/// Returns the same for each device.
[[nodiscard]] constexpr Travel travel_on_ring(std::uint32_t devices, Way way,
                                              FarthestSlice farthest) noexcept {
    if (devices % 2 == 0 && farthest == FarthestSlice::Forward) {
        const std::uint32_t slices = way == Way::Forward ? devices / 2 : devices / 2 - 1;
        return {slices, slices, false};
    }
    return {devices / 2, devices / 2, devices % 2 == 0};
}

}  // namespace tessera::ops::all_gather
