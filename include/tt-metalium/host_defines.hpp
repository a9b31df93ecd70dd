// SPDX-License-Identifier: Apache-2.0
// Constants that host programs share with kernels.
#pragma once

#include <cstdint>

/// Initial value of semaphores that count nothing yet.
inline constexpr std::uint32_t INVALID = 0;
inline constexpr std::uint32_t VALID = 1;

// Number of zones that a device profile keeps for each processor, besides those of the firmware.
// Older headers declare these names without a namespace.
inline constexpr std::uint32_t PROFILER_L1_MARKER_UINT32_SIZE = 2;
inline constexpr std::uint32_t PROFILER_L1_OPTIONAL_MARKER_COUNT = 125;
inline constexpr std::uint32_t PROFILER_L1_GUARANTEED_MARKER_COUNT = 2;
inline constexpr std::uint32_t PROFILER_OP_SUPPORT_COUNT = 1000;

namespace kernel_profiler {
using ::PROFILER_L1_GUARANTEED_MARKER_COUNT;
using ::PROFILER_L1_MARKER_UINT32_SIZE;
using ::PROFILER_L1_OPTIONAL_MARKER_COUNT;
using ::PROFILER_OP_SUPPORT_COUNT;
}  // namespace kernel_profiler
