// SPDX-License-Identifier: Apache-2.0
// sfpi: fields of the lanes' numbers, conversions, and look-up tables.
// Source  sfpi (github.com/tenstorrent/sfpi), include/sfpi_lib.h
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "tessera/kernel/compute/sfpi.hpp"

namespace sfpi {

// Fields of fp32 patterns.
inline constexpr std::uint32_t kMantissaBits = 23;
inline constexpr std::uint32_t kMantissaMask = 0x007FFFFF;
inline constexpr std::uint32_t kExponentMask = 0x7F800000;
inline constexpr std::uint32_t kSignMask = 0x80000000;
inline constexpr std::int32_t kExponentBias = 127;

// Each of these is one instruction, unless it says otherwise.
namespace detail {
template <class Result, class Function, class V>
constexpr Result map_bits(Function function, const V& v) {
    return map_once<Result>([=](auto x) { return function(std::bit_cast<std::uint32_t>(x)); }, v);
}
constexpr std::int32_t exponent_of(std::uint32_t bits) {
    return static_cast<std::int32_t>((bits & kExponentMask) >> kMantissaBits);
}
/// Sets a field to a value that is part of the instruction.
constexpr vFloat with_field(const vFloat& v, std::uint32_t mask, std::uint32_t field) {
    return map_bits<vFloat>([=](std::uint32_t bits) { return (bits & ~mask) | (field & mask); }, v);
}
/// Sets a field to a value in another register.
template <class V>
constexpr vFloat with_field_of(const vFloat& v, std::uint32_t mask, const V& field,
                               std::uint32_t shift = 0) {
    return map_once<vFloat>(
        [=](float x, auto from) {
            const auto bits = std::bit_cast<std::uint32_t>(x);
            return (bits & ~mask) | (std::bit_cast<std::uint32_t>(from) << shift & mask);
        },
        v, field);
}
}  // namespace detail

constexpr vInt exexp_nodebias(const vFloat& v) {
    return detail::map_bits<vInt>(detail::exponent_of, v);
}
constexpr vInt exexp(const vFloat& v) {
    return detail::map_bits<vInt>(
        [](std::uint32_t bits) { return detail::exponent_of(bits) - kExponentBias; }, v);
}
/// Return the mantissa, with its hidden bit (exman8) or without it (exman9).
constexpr vInt exman9(const vFloat& v) {
    return detail::map_bits<vInt>([](std::uint32_t bits) { return bits & kMantissaMask; }, v);
}
constexpr vInt exman8(const vFloat& v) {
    return detail::map_bits<vInt>(
        [](std::uint32_t bits) { return (bits & kMantissaMask) | 1U << kMantissaBits; }, v);
}
constexpr vFloat setexp(const vFloat& v, const vUInt& exponent) {
    return detail::with_field_of(v, kExponentMask, exponent, kMantissaBits);
}
constexpr vFloat setexp(const vFloat& v, const vInt& exponent) {
    return detail::with_field_of(v, kExponentMask, exponent, kMantissaBits);
}
constexpr vFloat setexp(const vFloat& v, std::uint32_t exponent) {
    return detail::with_field(v, kExponentMask, exponent << kMantissaBits);
}
constexpr vFloat setexp(const vFloat& v, int exponent) {
    return setexp(v, static_cast<std::uint32_t>(exponent));
}
constexpr vFloat setman(const vFloat& v, const vUInt& mantissa) {
    return detail::with_field_of(v, kMantissaMask, mantissa);
}
constexpr vFloat setman(const vFloat& v, const vInt& mantissa) {
    return detail::with_field_of(v, kMantissaMask, mantissa);
}
/// Sets the mantissa. SFPSETMAN has 12 bits for its upper part; other mantissas are loaded first.
constexpr vFloat setman(const vFloat& v, std::uint32_t mantissa) {
    constexpr std::uint32_t kLowerBits = 0x7FF;
    return (mantissa & kLowerBits) == 0 ? detail::with_field(v, kMantissaMask, mantissa)
                                        : setman(v, vUInt(mantissa));
}
constexpr vFloat setman(const vFloat& v, int mantissa) {
    return setman(v, static_cast<std::uint32_t>(mantissa));
}
constexpr vFloat addexp(const vFloat& v, std::int32_t by) {
    return detail::map_bits<vFloat>(
        [by](std::uint32_t bits) {
            const auto exponent = static_cast<std::uint32_t>(detail::exponent_of(bits) + by);
            return (bits & ~kExponentMask) | (exponent << kMantissaBits & kExponentMask);
        },
        v);
}
constexpr vFloat setsgn(const vFloat& v, int sign) {
    return detail::with_field(v, kSignMask, static_cast<std::uint32_t>(sign) << 31U);
}
constexpr vFloat setsgn(const vFloat& v, const vFloat& sign) {
    return detail::with_field_of(v, kSignMask, sign);
}
constexpr vFloat setsgn(const vFloat& v, const vInt& sign) {
    return detail::with_field_of(v, kSignMask, sign);
}
constexpr vFloat copysgn(const vFloat& v, const vFloat& sign) {
    return setsgn(v, sign);
}
constexpr vFloat abs(const vFloat& v) {
    return setsgn(v, 0);
}
constexpr vInt abs(const vInt& v) {
    return detail::map_bits<vInt>(
        [](std::uint32_t bits) { return (bits & kSignMask) != 0 ? 0U - bits : bits; }, v);
}
/// Returns the number of leading zeros of each lane's bits.
template <class V>
constexpr vInt lz(const V& v) {
    return detail::map_bits<vInt>([](std::uint32_t bits) { return std::countl_zero(bits); }, v);
}

namespace detail {
/// Slots of SFPSWAP: the unit accepts no instruction in the cycle after it.
inline constexpr std::uint32_t kSwapSlots = 2;
inline void issue_swap(const vFloat& a, const vFloat& b) {
    issue_on(a.source(), b.source());
    issue(kSwapSlots - 1);
}
}  // namespace detail
/// Puts the smaller values into `low` and the larger ones into `high`.
inline void vec_min_max(vFloat& low, vFloat& high) {
    detail::issue_swap(low, high);
    vFloat smaller = detail::map<vFloat>([](float a, float b) { return b < a ? b : a; }, low, high);
    high = detail::map<vFloat>([](float a, float b) { return b < a ? a : b; }, low, high);
    low = std::move(smaller);
}
inline void vec_swap(vFloat& a, vFloat& b) {
    detail::issue_swap(a, b);
    vFloat first(a.words());
    a = vFloat(b.words());
    b = std::move(first);
}

/// Rounding of a conversion.
enum class RoundMode : std::uint8_t { NearestEven, Nearest = NearestEven, Stochastic };

inline vFloat int32_to_float(const vInt& v, RoundMode /*mode*/ = RoundMode::NearestEven) {
    return detail::map_once<vFloat>([](std::int32_t x) { return static_cast<float>(x); }, v);
}
inline vFloat int32_to_float(const vInt& v, int /*mode*/) {
    return int32_to_float(v);
}
template <class Mode>
vFloat int_to_float(const vInt& v, Mode /*mode*/) {
    return int32_to_float(v);
}
/// Rounds to bfloat16, to nearest even; the result has the pattern's upper half.
inline vUInt float_to_fp16b(const vFloat& v, RoundMode /*mode*/ = RoundMode::NearestEven) {
    return detail::map_once<vUInt>(
        [](float x) {
            const auto bits = std::bit_cast<std::uint32_t>(x);
            return std::isnan(x) ? bits : (bits + 0x7FFFU + (bits >> 16U & 1U)) & 0xFFFF0000U;
        },
        v);
}
inline vUInt float_to_fp16b(const vFloat& v, int /*mode*/) {
    return float_to_fp16b(v);
}
/// Number that was rounded to bfloat16.
class vFloat16b : public vFloat {
public:
    vFloat16b() = default;
    vFloat16b(const vFloat& rounded) : vFloat(rounded) {}  // NOLINT: as the vendor's
};
/// Returns the value of a bfloat16 pattern, or of a float, in all lanes.
template <class Bits>
constexpr vFloat sFloat16b(Bits bits) {
    return s2vFloat16b(bits);
}
/// Rounds to a narrower type.
template <class To>
To convert(const vFloat& v, RoundMode mode = RoundMode::NearestEven) {
    static_assert(std::is_same_v<To, vFloat16b>, "convert gives vFloat16b");
    return reinterpret<vFloat>(float_to_fp16b(v, mode));
}
/// Rounds to the nearest integer and clamps it to a range.
inline vInt to_integer(const vFloat& v, float least, float largest) {
    return detail::map_once<vInt>(
        [=](float x) {
            return static_cast<std::int32_t>(std::nearbyint(std::min(std::max(x, least), largest)));
        },
        v);
}
template <class Mode = RoundMode>
vUInt float_to_uint8(const vFloat& v, Mode /*mode*/ = {}) {
    return vUInt(to_integer(v, 0.0F, 255.0F));
}
template <class Mode = RoundMode>
vInt float_to_int8(const vFloat& v, Mode /*mode*/ = {}) {
    return to_integer(v, -127.0F, 127.0F);
}
template <class Mode = RoundMode>
vUInt float_to_uint16(const vFloat& v, Mode /*mode*/ = {}) {
    return vUInt(to_integer(v, 0.0F, 65535.0F));
}
template <class Mode = RoundMode>
vInt float_to_int16(const vFloat& v, Mode /*mode*/ = {}) {
    return to_integer(v, -32767.0F, 32767.0F);
}

/// Returns the value of an 8-bit coefficient of a look-up table: sign, 3 bits of exponent and 4
/// bits of mantissa. The value is divided by 2^exponent, and 0xFF is 0.
/// Source   tt-isa-documentation, SFPLUT.
constexpr float lut_coefficient(std::uint32_t code) {
    const std::uint32_t exponent = 127U - (code >> 4U & 7U);
    const std::uint32_t bits =
        (code & 0x80U) << 24U | exponent << kMantissaBits | (code & 15U) << 19U;
    return (code & 0xFFU) == 0xFFU ? 0.0F : std::bit_cast<float>(bits);
}
/// Returns a piecewise linear function of |v| with the sign of v. There is a table for |v| below 1,
/// one below 2, and one from 2 on. A table has the slope in bits 8 to 15 and the value at 0 in bits
/// 0 to 7.
inline vFloat lut(const vFloat& v, const vUInt& below_1, const vUInt& below_2,
                  const vUInt& from_2) {
    // SFPLUT multiplies and adds, with the latency of SFPMAD.
    vFloat result(LaneWords{}, tessera::kernel::issue_mad(v.source(), LaneSource{}));
    for (std::uint32_t i = 0; i < kLanes; ++i) {
        const float x = std::fabs(v.lane(i));
        const vUInt& table = x < 1 ? below_1 : x < 2 ? below_2 : from_2;
        const float value =
            lut_coefficient(table.lane(i) >> 8U) * x + lut_coefficient(table.lane(i));
        result.set_lane(i, std::copysign(value, v.lane(i)));
    }
    return result;
}

}  // namespace sfpi

#ifdef COMPILE_FOR_TRISC
using sfpi::RoundMode;
#endif
