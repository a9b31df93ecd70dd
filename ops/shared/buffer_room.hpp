// SPDX-License-Identifier: Apache-2.0
// The L1 of a core that buffers may take.
#pragma once

#include <cstdint>

#include "tessera/arch_spec.hpp"

namespace tessera::ops {

/// Returns the bytes of a core's L1 beyond those that the machine keeps for itself.
[[nodiscard]] inline std::uint64_t buffer_room(const ArchSpec& arch) noexcept {
    return arch.l1.size.value - arch.l1.reserved.value;
}

}  // namespace tessera::ops
