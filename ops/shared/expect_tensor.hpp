// SPDX-License-Identifier: Apache-2.0
// Checks of the tensors given to an op, and what its messages call them.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "tessera/data_format.hpp"
#include "tessera/errors.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops {

/// "(4,32) uint32 ROW_MAJOR", "(4,32) bfloat16 TILE of 16×32".
[[nodiscard]] inline std::string describe(const TensorSpec& spec) {
    const bool is_tiled = spec.layout == Layout::TILE;
    const auto [height, width] = spec.tile.get_tile_shape();
    return fmt::format(
        "{} {} {}{}", to_string(spec.shape), name_of(spec.format), is_tiled ? "TILE" : "ROW_MAJOR",
        is_tiled && spec.tile.is_tiny() ? fmt::format(" of {}×{}", height, width) : "");
}

/// Errors   UsageError naming op and tensor, with what it is and what it must be; or if it is
///          sharded.
inline void expect_tensor(std::string_view op, std::string_view name, const DeviceTensor& tensor,
                          const TensorSpec& expected) {
    require(tensor.spec == expected, "{}: {} is {}; allowed: {}", op, name, describe(tensor.spec),
            describe(expected));
    require(tensor.buffer.layout == TensorMemoryLayout::INTERLEAVED,
            "{}: {} is sharded; allowed: interleaved", op, name);
}

}  // namespace tessera::ops
