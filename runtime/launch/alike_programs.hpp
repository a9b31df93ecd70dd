// SPDX-License-Identifier: Apache-2.0
// Programs of a launch that do the same on several devices, so that kernels run on one of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tessera/session.hpp"

namespace tessera {

/// A program, and the device on which its kernels run.
struct LaunchedProgram {
    const DeviceProgram* program = nullptr;
    std::uint32_t ran_on = 0;

    [[nodiscard]] bool is_run() const noexcept { return ran_on == program->device; }
};

/// Returns the programs in the order of their devices. `alike`: for each program, the index of the
/// one whose kernels run in its place, or its own; empty: all run.
/// Preconditions  both do the same to the bytes that they read; neither communicates with another
///                device; the program that runs is on the device with the lower number.
[[nodiscard]] std::vector<LaunchedProgram> by_device(std::span<const DeviceProgram> programs,
                                                     std::span<const std::size_t> alike);

}  // namespace tessera
