// SPDX-License-Identifier: Apache-2.0
// Tile products with fp32 accumulation.
//
// Order of summation: every output element is one chain of fused multiply-adds. It begins with the
// DST value and adds k = 0 … 31 in ascending order (HiFi3: all k with the first pass, then all k
// with the second). Block shape, tile pairing and SIMD target do not change the order, so the bytes
// are equal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "emu/tile/dst_format.hpp"
#include "tessera/data_format.hpp"

namespace tessera::tile {

/// Computes dst += in0 · in1 on fp32 tiles in face order, with all bits of the operands.
void matmul_tile(const float* in0, const float* in1, float* dst);

/// Computes dst[r·C + c] += in0[r] · in1[c] for R row tiles and C column tiles of one k step. `dst`
/// has R·C consecutive tiles. Uses all bits of the operands.
void matmul_block(std::span<const float* const> in0, std::span<const float* const> in1, float* dst,
                  DstFormat dst_format = DstFormat::Float32);

/// Multiplies tiles as matmul_tile does, with bf16 operands in memory. The conversion slices them
/// by `fidelity`: in0 goes to SrcB and in1 to SrcA.
void matmul_tile_bf16(const std::byte* in0, const std::byte* in1, float* dst,
                      MathFidelity fidelity = MathFidelity::HiFi4);

/// Whether a tile is used as stored or transposed (rows and columns swapped).
enum class Orientation : std::uint8_t { AsStored, Transposed };

/// One side of a block product: tiles of one format in memory.
struct MatmulOperand {
    std::span<const std::byte* const> tiles;
    DataFormat format = DataFormat::Float16_b;
    Orientation orientation = Orientation::AsStored;
};

struct MatmulMode {
    MathFidelity fidelity = MathFidelity::HiFi4;
    DstFormat dst_format = DstFormat::Float32;
    /// Pages of kAheadBytes to prefetch into the host's caches, one per tile product. They are not
    /// read, so any address is valid.
    std::span<const std::byte* const> ahead;
};
/// Bytes per page of MatmulMode::ahead.
inline constexpr std::size_t kAheadBytes = 2048;

/// Computes one k step of a block product, dst[r·C + c] += in0[r] · in1[c]; unpacks each operand
/// tile once.
///
/// Numeric  operands pass through SrcB (in0) and SrcA (in1): TF32 at most, sliced by fidelity.
///          DstFormat::Float16_b: each phase adds separately and the sum is rounded to bf16 after
///          every 16 products, as the matrix unit writes a 16-bit DST.
/// Errors   InternalError for an integer format, which the matrix unit does not support.
/// Source   tt-isa-documentation, MVMUL.
void matmul_block(const MatmulOperand& in0, const MatmulOperand& in1, float* dst,
                  const MatmulMode& mode = {});

}  // namespace tessera::tile
