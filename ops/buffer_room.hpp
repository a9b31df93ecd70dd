// SPDX-License-Identifier: Apache-2.0
// The L1 of a core that buffers may take, held against what a schedule asks for.
#pragma once

#include <cstdint>
#include <string_view>

#include "tessera/arch_spec.hpp"
#include "tessera/errors.hpp"

namespace tessera::ops {

/// Bytes of a core's L1 behind what the machine keeps for itself.
[[nodiscard]] inline std::uint64_t buffer_room(const ArchSpec& arch) noexcept {
    return arch.l1.size.value - arch.l1.reserved.value;
}

/// Errors   UsageError if circular buffers of `bytes` a core exceed its L1. Tensors in L1 are the
///          launcher's to find in the way.
inline void expect_room(std::string_view op, const ArchSpec& arch, std::uint64_t bytes) {
    require(bytes <= buffer_room(arch),
            "{}: the schedule's circular buffers take {} B a core; {} has {} B of L1 for buffers",
            op, bytes, arch.name, buffer_room(arch));
}

}  // namespace tessera::ops
