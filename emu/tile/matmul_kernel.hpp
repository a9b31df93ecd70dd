// SPDX-License-Identifier: Apache-2.0
// The vector kernel under emu/tile/matmul.hpp: products of converted tiles.
#pragma once

#include <cstddef>
#include <span>

#include "emu/tile/dst_format.hpp"
#include "emu/tile/fidelity.hpp"

namespace tessera::tile {

/// Computes dst[r·num_columns + c] += rows[r] · columns[c], all fp32 tiles in face order, in the
/// summation order of matmul.hpp. With DstFormat::Float16_b, sums are rounded after every 16
/// products.
void multiply_block(const float* const* rows, std::size_t num_rows, const float* const* columns,
                    std::size_t num_columns, float* dst, DstFormat dst_format);

struct KernelMode {
    DstFormat dst_format;
    std::span<const std::byte* const> ahead;  ///< as MatmulMode::ahead
};

/// As multiply_block for bf16 tiles in memory, once for each of `passes`, with slices of rows
/// (SrcB) and columns (SrcA). `scratch` has space for num_columns + 1 tiles of floats.
void multiply_bf16_block(const std::byte* const* rows, std::size_t num_rows,
                         const std::byte* const* columns, std::size_t num_columns,
                         std::span<const FidelityPass> passes, float* scratch, float* dst,
                         const KernelMode& mode);

}  // namespace tessera::tile
