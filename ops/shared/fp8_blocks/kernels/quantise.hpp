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

// Pushes one tile of the largest magnitudes of four tiles from `first` on.
inline void send_largest(uint32_t cb_values, uint32_t first, uint32_t cb_largest) {
    tile_regs_acquire();
    // The strip fills the half of DST, so that the units are set up once for each function.
    init_copy(cb_values);
    for (uint32_t tile = 0; tile < kStripTiles; ++tile) {
        copy_tile(cb_values, first + tile, tile);
    }
    abs_tile_init();
    for (uint32_t tile = 0; tile < kStripTiles; ++tile) {
        abs_tile(tile);
    }
    binary_max_tile_init();
    for (uint32_t tile = 1; tile < kStripTiles; ++tile) {
        binary_max_tile(0, tile, 0);
    }
    tile_regs_commit();
    cb_reserve_back(cb_largest, 1);
    pack_reconfig_data_format(cb_largest);
    tile_regs_wait();
    pack_tile(0, cb_largest);
    tile_regs_release();
    cb_push_back(cb_largest, 1);
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

// Numbers below 2^22 have no fraction bits after 1.5 · 2^23 was added.
inline void round_to_integers(uint32_t dst) {
    constexpr uint32_t kPointAtEnd = 0x4B400000;  // 1.5 · 2^23
    binop_with_scalar_tile_init();
    add_unary_tile(dst, kPointAtEnd);
    sub_unary_tile(dst, kPointAtEnd);
}

// Turns integers to ±127 into bytes. The cast keeps the low byte, so that none may be negative.
inline void to_bytes(uint32_t dst) {
    constexpr uint32_t kZero = 0x43000000;  // kByteZero, fp32
    binop_with_scalar_tile_init();
    add_unary_tile(dst, kZero);
    typecast_tile_init<static_cast<uint32_t>(DataFormat::Float32),
                       static_cast<uint32_t>(DataFormat::UInt8)>();
    typecast_tile<static_cast<uint32_t>(DataFormat::Float32),
                  static_cast<uint32_t>(DataFormat::UInt8)>(dst);
}

// Divides two tiles of DST by the third one, or multiplies them with it.
inline void scale_two(CodeForm form) {
    if (form == CodeForm::Multiply) {
        mul_binary_tile_init();
        mul_binary_tile(0, 2, 0);
        mul_binary_tile(1, 2, 1);
        return;
    }
    div_binary_tile_init();
    div_binary_tile(0, 2, 0);
    div_binary_tile(1, 2, 1);
    if (form == CodeForm::Round || form == CodeForm::Bytes) {
        round_to_integers(0);
        round_to_integers(1);
    }
    if (form == CodeForm::Bytes) {
        to_bytes(0);
        to_bytes(1);
    }
}

// Sends each element divided by (or times) the number in column 0 of its row of `cb_scale`.
inline void send_scaled_rows(uint32_t cb_values, uint32_t first, uint32_t cb_scale, CodeForm form,
                             uint32_t cb_rows) {
    cb_reserve_back(cb_rows, kStripTiles);
    for (uint32_t half = 0; half < 2; ++half) {
        tile_regs_acquire();
        unary_bcast_init<BroadcastType::COL>(cb_scale, cb_rows);
        unary_bcast<BroadcastType::COL>(cb_scale, 0, 2);
        init_copy(cb_values);
        copy_tile(cb_values, first + half * 2, 0);
        copy_tile(cb_values, first + half * 2 + 1, 1);
        scale_two(form);
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
