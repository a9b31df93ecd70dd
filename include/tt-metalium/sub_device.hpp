// SPDX-License-Identifier: Apache-2.0
// Sub-devices: parts of a device's cores that programs may use like separate devices.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tt-metalium/core_coord.hpp"
#include "tt-metalium/hal_types.hpp"

namespace tt::tt_metal {

using SubDeviceId = ttsl::StrongType<std::uint8_t, struct SubDeviceIdTag>;
using SubDeviceManagerId = ttsl::StrongType<std::uint64_t, struct SubDeviceManagerIdTag>;

/// Cores of one sub-device, by kind of core. Worker cores come first; others are ignored.
class SubDevice {
public:
    explicit SubDevice(std::span<const CoreRangeSet> cores)
        : cores_(cores.empty() ? CoreRangeSet() : cores.front()) {}

    [[nodiscard]] const CoreRangeSet& cores(HalProgrammableCoreType /*type*/) const {
        return cores_;
    }
    [[nodiscard]] std::uint32_t num_cores(HalProgrammableCoreType /*type*/) const {
        return cores_.num_cores();
    }

private:
    CoreRangeSet cores_;
};

}  // namespace tt::tt_metal
