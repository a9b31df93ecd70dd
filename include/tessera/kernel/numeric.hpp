// SPDX-License-Identifier: Apache-2.0
// Numeric functions of the device API. Kernels define functions of the same names, so these are
// only declared if a kernel includes their header: api/numeric/bfloat16.h, api/alignment.h or
// internal/mod_div_lib.h.
#pragma once

#include <bit>

#include "tessera/kernel/types.hpp"

/// Bit patterns of bfloat16, float32 and int32.
inline constexpr std::uint16_t NEG_INF_BFLOAT16 = 0xFF80;
inline constexpr std::uint16_t POS_INF_BFLOAT16 = 0x7F80;
inline constexpr std::uint16_t NAN_BFLOAT16 = 0x7FFF;
inline constexpr std::uint16_t BFLOAT16_SIGN_MASK = 0x8000;
inline constexpr std::uint32_t NEG_INF_FLOAT32 = 0xFF800000;
inline constexpr std::uint32_t POS_INF_FLOAT32 = 0x7F800000;
inline constexpr std::uint32_t NAN_FLOAT32 = 0x7FFFFFFF;
inline constexpr std::uint32_t FLOAT32_SIGN_MASK = 0x80000000;
inline constexpr std::uint32_t INT32_SIGN_MASK = 0x80000000;

namespace tessera::kernel {
/// Returns a word whose unsigned comparison orders patterns by value: negative patterns are
/// inverted, and the sign bit of others is set.
template <class Word>
constexpr Word ordered(Word pattern) {
    constexpr Word kSign = static_cast<Word>(Word{1} << (8 * sizeof(Word) - 1));
    return static_cast<Word>((pattern & kSign) != 0 ? ~pattern : pattern | kSign);
}
}  // namespace tessera::kernel

/// Compare patterns by value: a > b.
constexpr bool bfloat16_greater(std::uint16_t a, std::uint16_t b) {
    return tessera::kernel::ordered(a) > tessera::kernel::ordered(b);
}
constexpr bool float32_greater(std::uint32_t a, std::uint32_t b) {
    return tessera::kernel::ordered(a) > tessera::kernel::ordered(b);
}
constexpr bool int32_greater(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::int32_t>(a) > static_cast<std::int32_t>(b);
}
/// Returns the pattern of a float, rounded to nearest even.
constexpr std::uint16_t bfloat16_of(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return static_cast<std::uint16_t>((bits + 0x7FFFU + (bits >> 16U & 1U)) >> 16U);
}
/// Truncates fp32 to its upper half.
constexpr std::uint16_t fp32_to_bf16_truncate(float value) {
    return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16U);
}
constexpr float float_of_bfloat16(std::uint16_t pattern) {
    return std::bit_cast<float>(std::uint32_t{pattern} << 16U);
}
/// Convert patterns, under the names since mid-2026.
constexpr float bf16_to_fp32(std::uint16_t pattern) {
    return float_of_bfloat16(pattern);
}
constexpr std::uint16_t fp32_to_bf16(float value) {
    return bfloat16_of(value);
}
constexpr std::uint16_t bfloat16_add(std::uint16_t a, std::uint16_t b) {
    return bfloat16_of(float_of_bfloat16(a) + float_of_bfloat16(b));
}
constexpr std::uint16_t bfloat16_max(std::uint16_t a, std::uint16_t b) {
    return bfloat16_greater(a, b) ? a : b;
}
constexpr std::uint16_t bfloat16_min(std::uint16_t a, std::uint16_t b) {
    return bfloat16_greater(a, b) ? b : a;
}

/// Rounds up to a multiple of `alignment`.
constexpr std::uint32_t align(std::uint32_t address, std::uint32_t alignment) {
    return (address + alignment - 1) / alignment * alignment;
}
constexpr std::uint32_t align_power_of_2(std::uint32_t address, std::uint32_t alignment) {
    return align(address, alignment);
}
constexpr bool is_power_of_2(std::uint32_t number) {
    return std::has_single_bit(number);
}

// Quotients and remainders, which the chip's cores compute in software.
template <std::uint32_t divisor>
constexpr std::uint32_t udivsi3_const_divisor(std::uint32_t number) {
    return number / divisor;
}
template <std::uint32_t divisor>
constexpr std::uint32_t umodsi3_const_divisor(std::uint32_t number) {
    return number % divisor;
}
template <std::uint32_t divisor>
constexpr std::uint32_t fast_udiv(std::uint32_t number) {
    return number / divisor;
}
constexpr std::uint32_t udivsi3(std::uint32_t number, std::uint32_t divisor) {
    return number / divisor;
}
constexpr std::uint32_t umodsi3(std::uint32_t number, std::uint32_t divisor) {
    return number % divisor;
}
