// SPDX-License-Identifier: Apache-2.0
#include "tessera/tile.hpp"

#include <fmt/format.h>

#include "emu/base/refusal.hpp"

namespace tessera {

void Tile::refuse(std::array<std::uint32_t, 2> shape) {
    throw UsageError(
        fmt::format("Tile: {}", refusal(fmt::format("{}×{}", shape[0], shape[1]), kAllowed)));
}

}  // namespace tessera
