// SPDX-License-Identifier: Apache-2.0
#include "emu/tile/reduce.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "emu/tile/fidelity.hpp"
#include "emu/tile/transpose.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emu/tile/reduce.cpp"
#include <hwy/foreach_target.h>

#include "emu/tile/simd_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::tile::HWY_NAMESPACE {
namespace {

/// Computes results[c] += Σ_r in[r][c] · weights[face of (r, c)][r mod 16], r ascending.
void sum_columns(const float* in, const float* weights, float* results) {
    for (std::size_t column = 0; column < kTileColumns; column += kLanes) {
        Vec sum = load(results + column);
        const std::size_t within = column % kFaceColumns;
        for (std::size_t row = 0; row < kTileRows; ++row) {
            const std::size_t face = (row / kFaceRows) * 2 + column / kFaceColumns;
            const float* values = in + face * kFaceElements + (row % kFaceRows) * kFaceColumns;
            const float weight = weights[face * kFaceElements + row % kFaceRows];
            sum = fma(load(values + within), constant(weight), sum);
        }
        store(sum, results + column);
    }
}

/// Computes results[c] = max(results[c], in[r][c] · weight of r), as sum_columns. Uses comparisons,
/// so that NaN is never the maximum on any target.
void max_columns(const float* in, const float* weights, float* results) {
    for (std::size_t column = 0; column < kTileColumns; column += kLanes) {
        Vec largest = load(results + column);
        const std::size_t within = column % kFaceColumns;
        for (std::size_t row = 0; row < kTileRows; ++row) {
            const std::size_t face = (row / kFaceRows) * 2 + column / kFaceColumns;
            const float* values = in + face * kFaceElements + (row % kFaceRows) * kFaceColumns;
            const float weight = weights[face * kFaceElements + row % kFaceRows];
            const Vec value = hn::Mul(load(values + within), constant(weight));
            largest = hn::IfThenElse(hn::Gt(value, largest), value, largest);
        }
        store(largest, results + column);
    }
}

}  // namespace
}  // namespace tessera::tile::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::tile {

HWY_EXPORT(sum_columns);
HWY_EXPORT(max_columns);

namespace {

using TileValues = std::array<float, kTileElements>;
using Run = std::array<float, kTileColumns>;

/// Returns the scaler of Max: only its exponent.
float power_of_two_in(float scaler) {
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaler) & 0x7F800000U);
}

void max_pool(const float* in, const float* scaler, Run& results) {
    TileValues weights;
    for (std::size_t face = 0; face < kFacesPerTile; ++face) {
        for (std::size_t i = 0; i < kFaceColumns; ++i) {
            const std::size_t at = face * kFaceElements + i;
            weights[at] = power_of_two_in(scaler[at]);
        }
    }
    HWY_DYNAMIC_DISPATCH(max_columns)(in, weights.data(), results.data());
}

void pool_columns(const ReduceMode& mode, const float* in, const float* scaler, Run& results) {
    if (mode.pool == PoolType::Max) {
        return max_pool(in, scaler, results);
    }
    TileValues data;
    TileValues weights;
    for (const FidelityPass pass : fidelity_passes(mode.fidelity)) {
        slice_tile(in, Source::SrcA, pass.srca, data.data());
        slice_tile(scaler, Source::SrcB, pass.srcb, weights.data());
        HWY_DYNAMIC_DISPATCH(sum_columns)(data.data(), weights.data(), results.data());
    }
}

/// Reduces a run of 32 to one number by treating it as column 0 of an otherwise empty tile.
float pool_run(const ReduceMode& mode, const Run& run, const float* scaler, float start) {
    TileValues column{};
    for (std::uint32_t i = 0; i < kTileRows; ++i) {
        column[tile_offset(i, 0)] = run[i];
    }
    Run results{};
    results[0] = start;
    // The second step uses the same row of scalers for both halves of the run.
    TileValues weights{};
    for (std::size_t face = 0; face < kFacesPerTile; ++face) {
        std::copy_n(scaler, kFaceColumns, weights.data() + face * kFaceElements);
    }
    pool_columns(mode, column.data(), weights.data(), results);
    return results[0];
}

float neutral(PoolType pool) {
    return pool == PoolType::Max ? -std::numeric_limits<float>::infinity() : 0.0F;
}

std::uint32_t result_offset(ReduceDim dim, std::uint32_t index) {
    return dim == ReduceDim::Row ? tile_offset(index, 0) : tile_offset(0, index);
}

/// The faces of a row reduction pair with scaler faces as stored, not as transposed.
TileValues transposed_faces(const float* scaler) {
    TileValues swapped;
    constexpr std::array<std::size_t, kFacesPerTile> kFrom{0, 2, 1, 3};
    for (std::size_t face = 0; face < kFacesPerTile; ++face) {
        std::copy_n(scaler + kFrom[face] * kFaceElements, kFaceElements,
                    swapped.data() + face * kFaceElements);
    }
    return swapped;
}

void reduce_lines(const ReduceMode& mode, const float* in, const float* scaler, float* dst) {
    Run results;
    for (std::uint32_t i = 0; i < kTileRows; ++i) {
        results[i] = dst[result_offset(mode.dim, i)];
    }
    if (mode.dim == ReduceDim::Row) {
        TileValues turned;
        transpose_tile(in, turned.data());
        pool_columns(mode, turned.data(), transposed_faces(scaler).data(), results);
    } else {
        pool_columns(mode, in, scaler, results);
    }
    for (std::uint32_t i = 0; i < kTileRows; ++i) {
        dst[result_offset(mode.dim, i)] = results[i];
    }
}

}  // namespace

void reduce_tile(const ReduceMode& mode, const float* in, const float* scaler, float* dst) {
    if (mode.update == DstUpdate::Overwrite) {
        std::fill_n(dst, kTileElements, neutral(mode.pool));
    }
    if (mode.dim == ReduceDim::Scalar) {
        Run columns;
        columns.fill(neutral(mode.pool));
        pool_columns(mode, in, scaler, columns);
        dst[0] = pool_run(mode, columns, scaler, dst[0]);
    } else {
        reduce_lines(mode, in, scaler, dst);
    }
    if (mode.update == DstUpdate::Overwrite) {
        keep_reduced(mode.dim, dst);
    }
}

void keep_reduced(ReduceDim dim, float* tile) {
    TileValues kept{};
    const std::uint32_t count = dim == ReduceDim::Scalar ? 1 : kTileRows;
    for (std::uint32_t i = 0; i < count; ++i) {
        kept[result_offset(dim, i)] = tile[result_offset(dim, i)];
    }
    std::copy_n(kept.data(), kTileElements, tile);
}

}  // namespace tessera::tile
#endif
