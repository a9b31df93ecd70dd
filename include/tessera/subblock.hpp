// SPDX-License-Identifier: Apache-2.0
// The rectangle of output tiles that a matrix product keeps in DST.
#pragma once

#include <cstdint>

namespace tessera {

/// Rows × columns of output tiles that a core holds in DST at once.
struct Subblock {
    std::uint32_t height = 1;
    std::uint32_t width = 1;
    friend constexpr bool operator==(const Subblock&, const Subblock&) = default;
};

}  // namespace tessera
