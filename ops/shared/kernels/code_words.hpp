// SPDX-License-Identifier: Apache-2.0
// Splits bytes of two 4-bit codes into tiles of even and of odd columns, in a compute kernel.
//
// The vector unit masks and shifts whole words of eight codes each. A code of e2m1 or of 0 to 15 is
// the e4m3 code of its number times a power of two, except for the position of its bits.
#pragma once

#include <cstdint>

namespace {

inline void mask(uint32_t dst, uint32_t byte) {
    bitwise_and_tile_init();
    bitwise_and_tile(dst, byte * 0x01010101);
}

// DST[dst] >>= bits; the spare tile holds the number of bits.
inline void shift_right(uint32_t dst, uint32_t bits, uint32_t spare) {
    fill_tile_init();
    fill_tile_int(spare, bits);
    binary_shift_tile_init();
    binary_logical_right_shift_tile<DataFormat::UInt32>(dst, spare, dst);
}

inline void shift_left(uint32_t dst, uint32_t bits) {
    left_shift_tile_init();
    left_shift_tile(dst, bits);
}

inline void merge(uint32_t dst, uint32_t other) {
    binary_bitwise_tile_init();
    bitwise_or_binary_tile<DataFormat::UInt32>(dst, other, dst);
}

// Splits a word tile of codes 0 to 15 in DST 0 and 1: even columns stay in 0, odd ones go to 1.
inline void split_uint4() {
    mask(0, 0x0F);
    shift_right(1, 4, 2);
    mask(1, 0x0F);
}

// Splits e2m1 codes in the same way: the sign goes to bit 7, exponent and mantissa to bits 2 to 4.
inline void split_e2m1(uint32_t cb, uint32_t tile) {
    copy_tile(cb, tile, 2);
    mask(0, 0x07);
    shift_left(0, 2);
    mask(1, 0x08);
    shift_left(1, 4);
    merge(0, 1);
    copy_tile(cb, tile, 1);
    mask(1, 0x70);
    shift_right(1, 2, 3);
    mask(2, 0x80);
    merge(1, 2);
}

}  // namespace
