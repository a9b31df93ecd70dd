// SPDX-License-Identifier: Apache-2.0
// What the host's processors did while kernels ran, by kind of work.
#pragma once

#include <array>
#include <cstdint>

#include "runtime/host_profile/sampler.hpp"
#include "runtime/host_profile/symbols.hpp"

namespace tessera::host_profile {

enum class Work : std::uint8_t {
    TileMaths,  ///< products, conversions, element-wise and SFPU functions on tiles
    Copies,     ///< the C library: moves and fills of memory, and its allocation
    Switches,   ///< circular buffers, semaphores, and from one kernel thread to the next
    Other,      ///< the rest of the kernel API, and the kernels' own code
};
inline constexpr std::size_t kNumWorks = 4;
[[nodiscard]] const char* name_of(Work work) noexcept;

/// The work that code at a place does for a kernel.
[[nodiscard]] Work work_of(const CodePlace& place) noexcept;

struct HostProfile {
    std::array<double, kNumWorks> seconds{};  ///< of processors, in kernels, by Work
};

[[nodiscard]] HostProfile profile_of(const Samples& samples, const Symbols& symbols);

}  // namespace tessera::host_profile
