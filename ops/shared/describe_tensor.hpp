// SPDX-License-Identifier: Apache-2.0
// Names of tensors in messages.
#pragma once

#include <fmt/format.h>

#include <string>

#include "tessera/data_format.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops {

/// Returns "(4,32) uint32 ROW_MAJOR", "(4,32) bfloat16 TILE of 16×32".
[[nodiscard]] inline std::string describe(const TensorSpec& spec) {
    const bool is_tiled = spec.layout == Layout::TILE;
    const auto [height, width] = spec.tile.get_tile_shape();
    return fmt::format(
        "{} {} {}{}", to_string(spec.shape), name_of(spec.format), is_tiled ? "TILE" : "ROW_MAJOR",
        is_tiled && spec.tile.is_tiny() ? fmt::format(" of {}×{}", height, width) : "");
}

}  // namespace tessera::ops
