// SPDX-License-Identifier: Apache-2.0
// Math fidelity: the bits of an operand that the multiplier uses in each phase. The multiplier
// takes hidden + 4 mantissa bits of SrcA and hidden + 6 of SrcB at a time. Further phases use the
// lower bits. Registers hold TF32, so fp32 operands lose 13 bits first.
// Source   tt-isa-documentation WormholeB0/TensixTile/TensixCoprocessor {MVMUL, ELWMUL, SrcASrcB}.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tessera/data_format.hpp"

namespace tessera::tile {

/// Source register of an operand. Matmul: in0 → SrcB, in1 → SrcA. Element-wise: first operand →
/// SrcA, second → SrcB.
enum class Source : std::uint8_t { SrcA, SrcB };

/// Part of a significand: its upper bits, its lower bits, or both.
enum class Slice : std::uint8_t { High, Low, Full };

/// One product of slices.
struct FidelityPass {
    Slice srca;
    Slice srcb;
};

/// Returns the bits of an fp32 pattern that a slice keeps (High, Full).
///   SrcA  High 1+4, Full 1+9 significant bits (the last TF32 bit is never multiplied)
///   SrcB  High 1+6, Full 1+10
[[nodiscard]] constexpr std::uint32_t slice_mask(Source source, Slice slice) noexcept {
    if (source == Source::SrcA) {
        return slice == Slice::High ? 0xFFF80000U : 0xFFFFC000U;
    }
    return slice == Slice::High ? 0xFFFE0000U : 0xFFFFE000U;
}

/// Returns the slice of one value as a float; High + Low = Full exactly. Low of ±inf and NaN is 0.
/// A NaN whose payload is only in dropped bits becomes infinity, as in the chip's registers.
[[nodiscard]] constexpr float slice_of(Source source, Slice slice, float value) noexcept {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto part = [&](Slice kept) {
        return std::bit_cast<float>(bits & slice_mask(source, kept));
    };
    if (slice != Slice::Low) {
        return part(slice);
    }
    const bool is_finite = (bits & 0x7F800000U) != 0x7F800000U;
    return is_finite ? part(Slice::Full) - part(Slice::High) : 0.0F;
}

/// Returns the chip's phases in order: LoFi one, HiFi2 two, HiFi3 three, HiFi4 four products.
[[nodiscard]] std::span<const FidelityPass> fidelity_phases(MathFidelity fidelity) noexcept;

/// Returns the same products with exact sums of slices merged: one pass, two for HiFi3.
[[nodiscard]] std::span<const FidelityPass> fidelity_passes(MathFidelity fidelity) noexcept;

/// Writes the slice of every element of a tile; `in` and `out` may be the same tile.
void slice_tile(const float* in, Source source, Slice slice, float* out);
/// As slice_tile, from a bf16 tile in memory.
void slice_bf16_tile(const std::byte* in, Source source, Slice slice, float* out);

/// Drops the 13 mantissa bits that SrcA and SrcB do not hold.
void truncate_to_tf32_tile(float* tile);

}  // namespace tessera::tile
