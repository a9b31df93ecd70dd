// SPDX-License-Identifier: Apache-2.0
// The compute side of a quantisation to e4m3, in strips of 32 rows and 128 columns: four adjacent
// float32 tiles in a circular buffer.
//
// The vector unit reduces magnitudes over the four tiles. The writer reduces the remaining 32
// numbers of a row, and its core also computes the scale by its rule. The matrix unit could reduce
// whole rows, but only in TF32, whose ten bits do not match the scheme's scales.
#pragma once

#include "../../kernels/tile_moves.hpp"
#include "args.hpp"

namespace fp8_strips {

constexpr uint32_t kStripTiles = 4;

#if defined(TRISC_MATH) || !defined(COMPILE_FOR_TRISC)
constexpr uint32_t kTileVectors = 32;

inline sfpi::vFloat magnitude_of(uint32_t tile, uint32_t vector) {
    sfpi::vFloat value = sfpi::dst_reg[tile * kTileVectors + vector];
    return sfpi::abs(value);
}

// DST[0] = the largest magnitudes of the strip's tiles in DST.
inline void take_largest() {
    for (uint32_t vector = 0; vector < kTileVectors; ++vector) {
        sfpi::vFloat largest = magnitude_of(0, vector);
        for (uint32_t tile = 1; tile < kStripTiles; ++tile) {
            sfpi::vFloat other = magnitude_of(tile, vector);
            sfpi::vec_min_max(other, largest);
        }
        sfpi::dst_reg[vector] = largest;
    }
}
#endif

// Pushes one tile of the largest magnitudes of four tiles from `first` on.
inline void send_largest(uint32_t cb_values, uint32_t first, uint32_t cb_largest) {
    tile_regs_acquire();
    // The strip fills the half of DST, so that one function stores one result of it.
    init_copy(cb_values);
    for (uint32_t tile = 0; tile < kStripTiles; ++tile) {
        copy_tile(cb_values, first + tile, tile);
    }
    constexpr auto kOnce = (int)VectorMode::None;
    MATH((_llk_math_eltwise_unary_sfpu_params_<false>(take_largest, 0, kOnce)));
    tile_regs_commit();
    cb_reserve_back(cb_largest, 1);
    pack_reconfig_data_format(cb_largest);
    tile_regs_wait();
    pack_tile(0, cb_largest);
    tile_regs_release();
    cb_push_back(cb_largest, 1);
}

// Pushes the largest number of each row of a tile of `cb_partial` in column 0. The matrix unit reads
// bfloat16, which magnitudes of bfloat16 rows are exactly.
inline void send_row_largest(uint32_t cb_partial, uint32_t cb_ones, uint32_t cb_largest) {
    cb_wait_front(cb_partial, 1);
    reduce_init<PoolType::MAX, ReduceDim::REDUCE_ROW>(cb_partial, cb_ones, cb_largest);
    tile_regs_acquire();
    reduce_tile<PoolType::MAX, ReduceDim::REDUCE_ROW>(cb_partial, cb_ones, 0, 0, 0);
    tile_regs_commit();
    cb_pop_front(cb_partial, 1);
    cb_reserve_back(cb_largest, 1);
    pack_reconfig_data_format(cb_largest);
    tile_regs_wait();
    pack_tile(0, cb_largest);
    tile_regs_release();
    cb_push_back(cb_largest, 1);
    reduce_uninit();
}

// Pushes four tiles from `first` on as 32 rows of 128 elements of the format of `cb_rows`, as they
// are.
inline void send_rows(uint32_t cb_values, uint32_t first, uint32_t cb_rows) {
    cb_reserve_back(cb_rows, kStripTiles);
    pack_reconfig_data_format(cb_rows);
    pack_untilize_dest_init<2, 4>(cb_rows);
    for (uint32_t half = 0; half < 2; ++half) {
        tile_regs_acquire();
        copy_to(cb_values, first + half * 2, 0);
        copy_to(cb_values, first + half * 2 + 1, 1);
        tile_regs_commit();
        tile_regs_wait();
        pack_untilize_dest<2, 4>(cb_rows, 1, half);
        tile_regs_release();
    }
    pack_untilize_uninit(cb_rows);
    cb_push_back(cb_rows, kStripTiles);
}

using tessera::ops::fp8::CodeForm;

#if defined(TRISC_MATH) || !defined(COMPILE_FOR_TRISC)
// Numbers below 2^22 have no fraction bits after kPointAtEnd was added.
constexpr float kPointAtEnd = 12582912.0F;  // 1.5 · 2^23
constexpr uint32_t kFaceVectors = 8;

// Rounds the numbers of a face to integers. A sum is ready two cycles after its instruction, so that
// two vectors take turns.
inline void round_face() {
    for (uint32_t vector = 0; vector < kFaceVectors; vector += 2) {
        sfpi::vFloat first = sfpi::dst_reg[vector];
        sfpi::vFloat second = sfpi::dst_reg[vector + 1];
        first += kPointAtEnd;
        second += kPointAtEnd;
        first -= kPointAtEnd;
        second -= kPointAtEnd;
        sfpi::dst_reg[vector] = first;
        sfpi::dst_reg[vector + 1] = second;
    }
}

// Turns the numbers of a face into bytes, kByteZero more than the nearest integers: the last bits of
// a sum with kPointAtEnd.
inline void round_face_to_bytes() {
    const sfpi::vFloat zero = kPointAtEnd + tessera::ops::fp8::kByteZero;
    const sfpi::vUInt byte = 0xFFU;
    for (uint32_t vector = 0; vector < kFaceVectors; vector += 2) {
        sfpi::vFloat first = sfpi::dst_reg[vector] + zero;
        sfpi::vFloat second = sfpi::dst_reg[vector + 1] + zero;
        sfpi::dst_reg[vector] = sfpi::reinterpret<sfpi::vUInt>(first) & byte;
        sfpi::dst_reg[vector + 1] = sfpi::reinterpret<sfpi::vUInt>(second) & byte;
    }
}
#endif

// Divides the first tiles of DST by the one behind them, or multiplies them with it.
inline void scale_tiles(uint32_t count, CodeForm form) {
    if (form == CodeForm::Multiply) {
        mul_binary_tile_init();
    } else {
        div_binary_tile_init();
    }
    for (uint32_t tile = 0; tile < count; ++tile) {
        if (form == CodeForm::Multiply) {
            mul_binary_tile(tile, count, tile);
        } else {
            div_binary_tile(tile, count, tile);
        }
    }
    for (uint32_t tile = 0; tile < count; ++tile) {
        if (form == CodeForm::Round) {
            MATH((_llk_math_eltwise_unary_sfpu_params_<false>(round_face, tile,
                                                              (int)VectorMode::RC)));
        }
        if (form == CodeForm::Bytes) {
            MATH((_llk_math_eltwise_unary_sfpu_params_<false>(round_face_to_bytes, tile,
                                                              (int)VectorMode::RC)));
        }
    }
}

// A tile of scales: the number in column 0 of a row is that of the row's elements.
struct ScaleTile {
    uint32_t cb;
    uint32_t tile = 0;
};

// Sends each element divided by (or times) the scale of its row.
inline void send_scaled_rows(uint32_t cb_values, uint32_t first, ScaleTile scale, CodeForm form,
                             uint32_t cb_rows) {
    cb_reserve_back(cb_rows, kStripTiles);
    for (uint32_t half = 0; half < 2; ++half) {
        tile_regs_acquire();
        unary_bcast_init<BroadcastType::COL>(scale.cb, cb_rows);
        unary_bcast<BroadcastType::COL>(scale.cb, scale.tile, 2);
        init_copy(cb_values);
        copy_tile(cb_values, first + half * 2, 0);
        copy_tile(cb_values, first + half * 2 + 1, 1);
        scale_tiles(2, form);
        tile_regs_commit();
        pack_untilize_dest_init<2, 4>(cb_rows);
        tile_regs_wait();
        pack_untilize_dest<2, 4>(cb_rows, 1, half);
        tile_regs_release();
        pack_untilize_uninit(cb_rows);
    }
    cb_push_back(cb_rows, kStripTiles);
}

}  // namespace fp8_strips
