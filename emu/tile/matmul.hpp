// SPDX-License-Identifier: Apache-2.0
// Tile products with fp32 accumulation.
//
// Order of summation: every output element is one chain of fused multiply-adds that begins at its
// DST value and runs through k = 0 … 31 in ascending order (HiFi3: through all k with the first
// pass, then through all k with the second). Nothing else depends on block shape, tile pairing or
// SIMD target, so all of them give the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "emu/tile/dst_format.hpp"
#include "tessera/data_format.hpp"

namespace tessera::tile {

/// dst += in0 · in1 on fp32 tiles in face order, all bits of the operands used.
void matmul_tile(const float* in0, const float* in1, float* dst);

/// dst[r·C + c] += in0[r] · in1[c] for R row tiles and C column tiles of one k step; `dst` holds
/// R·C tiles in a row. All bits of the operands used.
void matmul_block(std::span<const float* const> in0, std::span<const float* const> in1, float* dst,
                  DstFormat dst_format = DstFormat::Float32);

/// As matmul_tile with operands in memory as bf16, sliced as `fidelity` says while they are
/// converted (in0 → SrcB, in1 → SrcA).
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
    /// Pages of kAheadBytes that the host loads into its caches meanwhile, one a tile product; not
    /// read, so any address will do.
    std::span<const std::byte* const> ahead;
};
/// Bytes of a page of MatmulMode::ahead.
inline constexpr std::size_t kAheadBytes = 2048;

/// One k step of a block product: dst[r·C + c] += in0[r] · in1[c], each operand tile unpacked once.
///
/// Numeric  operands pass through SrcB (in0) and SrcA (in1): TF32 at most, sliced by fidelity.
///          DstFormat::Float16_b: each phase adds apart and the sum is rounded to bf16 after every
///          16 products, as the matrix unit writes a 16-bit DST.
/// Errors   InternalError for an integer format, which the matrix unit does not take.
/// Source   tt-isa-documentation, MVMUL.
void matmul_block(const MatmulOperand& in0, const MatmulOperand& in1, float* dst,
                  const MatmulMode& mode = {});

}  // namespace tessera::tile
