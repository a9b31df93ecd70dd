// SPDX-License-Identifier: Apache-2.0
// The rows that count of a tensor that has room for every token of every expert.
#pragma once

#include <cstdint>
#include <span>

#include "tessera/session.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops::moe_v2 {

/// The same pages as a longer stack of matrices of `rows` rows each.
/// Precondition   `rows` divides the rows of a matrix, and kTileRows `rows` if they are in tiles.
[[nodiscard]] DeviceTensor cut_into_rows(DeviceTensor tensor, std::uint32_t rows);

/// At least the first `count` rows of one expert's matrix: no tiles are read beyond them.
/// Shapes   (E, T, columns) gives (1, rows, columns), count ≤ rows ≤ T.
[[nodiscard]] HostTensor read_rows(const Session& session, const DeviceTensor& tensor,
                                   std::uint32_t expert, std::uint32_t count);

/// The first counts[e] rows of every expert e, one after another, under the tensor's own shape.
[[nodiscard]] HostTensor read_valid_rows(const Session& session, const DeviceTensor& tensor,
                                         std::span<const std::uint32_t> counts);

}  // namespace tessera::ops::moe_v2
