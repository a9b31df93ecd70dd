// SPDX-License-Identifier: Apache-2.0
// The vector kernel under emu/tile/matmul.hpp: products of converted tiles.
#pragma once

#include <cstddef>

#include "emu/tile/dst_format.hpp"

namespace tessera::tile {

/// dst[r·num_columns + c] += rows[r] · columns[c], all fp32 tiles in face order; the order of
/// summation is that of matmul.hpp. With DstFormat::Float16_b sums are rounded after every 16
/// products.
void multiply_block(const float* const* rows, std::size_t num_rows, const float* const* columns,
                    std::size_t num_columns, float* dst, DstFormat dst_format);

}  // namespace tessera::tile
