// SPDX-License-Identifier: Apache-2.0
// sfpi: vectors of 32 lanes in a kernel's own functions of the vector unit.
// Numeric  fp32, each operation rounded once to nearest even; the chip fuses a product with the sum
//          behind it and flushes subnormals. Stores to a 16-bit DST truncate, as SFPSTORE does.
// Order    v_if … v_elseif … v_else … v_endif limit assignments and stores to lanes.
// Source   sfpi (github.com/tenstorrent/sfpi), include/sfpi.h.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>

#include "tessera/kernel/compute/sfpi_lanes.hpp"

#define v_if(...)                                   \
    {                                               \
        ::tessera::kernel::LaneCondition tessera_v; \
        tessera_v.take((__VA_ARGS__).lanes);
#define v_elseif(...)      \
    tessera_v.otherwise(); \
    tessera_v.take((__VA_ARGS__).lanes);
#define v_else tessera_v.otherwise();
#define v_endif }
#define v_block \
    {           \
        ::tessera::kernel::LaneCondition tessera_v;
#define v_and(...) tessera_v.narrow((__VA_ARGS__).lanes)
#define v_endblock }

namespace sfpi {

using tessera::kernel::kLanes;
using tessera::kernel::LaneMask;
using tessera::kernel::LaneNumbers;
using tessera::kernel::LaneWords;

/// Result of a comparison: a bit for each lane.
struct vBool {
    LaneMask lanes = 0;
    friend constexpr vBool operator&&(vBool a, vBool b) { return {a.lanes & b.lanes}; }
    friend constexpr vBool operator||(vBool a, vBool b) { return {a.lanes | b.lanes}; }
    friend constexpr vBool operator!(vBool a) { return {~a.lanes}; }
};

/// A vector register: its lanes as bit patterns. An assignment changes the active lanes only.
template <class Number>
class Vector {
public:
    constexpr Vector() = default;
    constexpr Vector(const Vector&) = default;
    constexpr Vector& operator=(const Vector& other) { return assign(other); }
    constexpr explicit Vector(const LaneWords& words) : words_(words) {}

    [[nodiscard]] constexpr Number lane(std::uint32_t i) const {
        return std::bit_cast<Number>(words_[i]);
    }
    constexpr void set_lane(std::uint32_t i, Number value) {
        words_[i] = std::bit_cast<std::uint32_t>(value);
    }
    [[nodiscard]] constexpr const LaneWords& words() const { return words_; }

protected:
    constexpr explicit Vector(Number value) { words_.fill(std::bit_cast<std::uint32_t>(value)); }

private:
    constexpr Vector& assign(const Vector& other) {
        const LaneMask active = tessera::kernel::active_lanes();
        for (std::uint32_t i = 0; i < kLanes; ++i) {
            words_[i] = (active >> i & 1U) != 0 ? other.words_[i] : words_[i];
        }
        return *this;
    }
    LaneWords words_{};
};

class vUInt;
/// 32 lanes of fp32.
class vFloat : public Vector<float> {
public:
    using Vector::Vector;
    static constexpr LaneNumbers kNumbers = LaneNumbers::Float;
    constexpr vFloat() = default;
    constexpr vFloat(float value) : Vector(value) {}  // NOLINT: as the vendor's
};
/// 32 lanes of int32.
class vInt : public Vector<std::int32_t> {
public:
    using Vector::Vector;
    static constexpr LaneNumbers kNumbers = LaneNumbers::Integer;
    constexpr vInt() = default;
    constexpr vInt(std::int32_t value) : Vector(value) {}  // NOLINT: as the vendor's
    constexpr vInt(const vUInt& other);                    // NOLINT: as the vendor's
};
/// 32 lanes of uint32.
class vUInt : public Vector<std::uint32_t> {
public:
    using Vector::Vector;
    static constexpr LaneNumbers kNumbers = LaneNumbers::Integer;
    constexpr vUInt() = default;
    constexpr vUInt(std::uint32_t value) : Vector(value) {}                             // NOLINT
    constexpr vUInt(std::int32_t value) : Vector(static_cast<std::uint32_t>(value)) {}  // NOLINT
    constexpr explicit vUInt(const vInt& other) : Vector(other.words()) {}
};
constexpr vInt::vInt(const vUInt& other) : Vector(other.words()) {
}

/// Returns the same bits as another kind of vector.
template <class To, class From>
constexpr To reinterpret(const From& from) {
    return To(from.words());
}

namespace detail {
template <class Result, class Function, class... Vectors>
constexpr Result map(Function function, const Vectors&... vectors) {
    Result result;
    for (std::uint32_t i = 0; i < kLanes; ++i) {
        result.set_lane(i, function(vectors.lane(i)...));
    }
    return result;
}
template <class Function, class V>
constexpr vBool compare(Function function, const V& a, const V& b) {
    vBool result;
    for (std::uint32_t i = 0; i < kLanes; ++i) {
        result.lanes |= LaneMask{function(a.lane(i), b.lane(i))} << i;
    }
    return result;
}
}  // namespace detail

#define TESSERA_LANES_ARITHMETIC(V, op)                                                           \
    constexpr V operator op(const V& a, const V& b) {                                             \
        return detail::map<V>([](auto x, auto y) { return static_cast<decltype(x)>(x op y); }, a, \
                              b);                                                                 \
    }                                                                                             \
    inline V& operator op##=(V& a, const V& b) {                                                  \
        return a = a op b;                                                                        \
    }
#define TESSERA_LANES_COMPARISON(V, op)                                      \
    constexpr vBool operator op(const V& a, const V& b) {                    \
        return detail::compare([](auto x, auto y) { return x op y; }, a, b); \
    }
#define TESSERA_LANES_COMPARISONS(V) \
    TESSERA_LANES_COMPARISON(V, <)   \
    TESSERA_LANES_COMPARISON(V, <=)  \
    TESSERA_LANES_COMPARISON(V, >)   \
    TESSERA_LANES_COMPARISON(V, >=)  \
    TESSERA_LANES_COMPARISON(V, ==)  \
    TESSERA_LANES_COMPARISON(V, !=)
#define TESSERA_LANES_INTEGER(V)                                                       \
    TESSERA_LANES_COMPARISONS(V)                                                       \
    TESSERA_LANES_ARITHMETIC(V, &)                                                     \
    TESSERA_LANES_ARITHMETIC(V, |)                                                     \
    TESSERA_LANES_ARITHMETIC(V, ^)                                                     \
    constexpr V operator~(const V& a) {                                                \
        return detail::map<V>([](auto x) { return static_cast<decltype(x)>(~x); }, a); \
    }
TESSERA_LANES_ARITHMETIC(vFloat, +)
TESSERA_LANES_ARITHMETIC(vFloat, -)
TESSERA_LANES_ARITHMETIC(vFloat, *)
TESSERA_LANES_COMPARISONS(vFloat)
TESSERA_LANES_INTEGER(vInt)
TESSERA_LANES_INTEGER(vUInt)
TESSERA_LANES_ARITHMETIC(vUInt, +)
TESSERA_LANES_ARITHMETIC(vUInt, -)
#undef TESSERA_LANES_INTEGER
#undef TESSERA_LANES_COMPARISONS
#undef TESSERA_LANES_COMPARISON
#undef TESSERA_LANES_ARITHMETIC

constexpr vFloat operator-(const vFloat& a) {
    return detail::map<vFloat>([](float x) { return -x; }, a);
}
// Integers of the chip wrap.
constexpr vInt operator+(const vInt& a, const vInt& b) {
    return reinterpret<vInt>(reinterpret<vUInt>(a) + reinterpret<vUInt>(b));
}
constexpr vInt operator-(const vInt& a, const vInt& b) {
    return reinterpret<vInt>(reinterpret<vUInt>(a) - reinterpret<vUInt>(b));
}
constexpr vInt operator-(const vInt& a) {
    return vInt(0) - a;
}
inline vInt& operator+=(vInt& a, const vInt& b) {
    return a = a + b;
}
inline vInt& operator-=(vInt& a, const vInt& b) {
    return a = a - b;
}

/// Shifts each lane to the left, or to the right by −count; zeros come in, as with SFPSHFT.
constexpr vUInt shft(const vUInt& value, const vInt& count) {
    return detail::map<vUInt>(
        [](std::uint32_t x, std::int32_t by) {
            const std::uint32_t amount = static_cast<std::uint32_t>(by < 0 ? -by : by) & 31U;
            return by < 0 ? x >> amount : x << amount;
        },
        value, count);
}
constexpr vUInt operator<<(const vUInt& a, std::uint32_t by) {
    return detail::map<vUInt>([by](std::uint32_t x) { return x << by; }, a);
}
constexpr vUInt operator>>(const vUInt& a, std::uint32_t by) {
    return detail::map<vUInt>([by](std::uint32_t x) { return x >> by; }, a);
}
constexpr vInt operator<<(const vInt& a, std::uint32_t by) {
    return reinterpret<vInt>(reinterpret<vUInt>(a) << by);
}
constexpr vInt operator>>(const vInt& a, std::uint32_t by) {
    return reinterpret<vInt>(reinterpret<vUInt>(a) >> by);
}
inline vUInt& operator<<=(vUInt& a, std::uint32_t by) {
    return a = a << by;
}
inline vUInt& operator>>=(vUInt& a, std::uint32_t by) {
    return a = a >> by;
}
inline vInt& operator<<=(vInt& a, std::uint32_t by) {
    return a = a << by;
}

/// A vector of DST, as a place that is read and written.
class DstVector {
public:
    explicit DstVector(std::uint32_t index) : index_(index) {}
    DstVector(const DstVector&) = default;
    operator vFloat() const { return load<vFloat>(); }  // NOLINT: as the vendor's
    operator vInt() const { return load<vInt>(); }      // NOLINT: as the vendor's
    operator vUInt() const { return load<vUInt>(); }    // NOLINT: as the vendor's
    DstVector& operator=(const vFloat& value) { return store(value); }
    DstVector& operator=(const vInt& value) { return store(value); }
    DstVector& operator=(const vUInt& value) { return store(value); }
    DstVector& operator=(float value) { return store(vFloat(value)); }
    DstVector& operator=(const DstVector& other) { return store(other.load<vFloat>()); }
    vFloat operator-() const { return -load<vFloat>(); }

private:
    template <class V>
    [[nodiscard]] V load() const {
        LaneWords words;
        tessera::kernel::load_lanes(index_, words);
        return V(words);
    }
    template <class V>
    DstVector& store(const V& value) {
        tessera::kernel::store_lanes(index_, V::kNumbers, value.words());
        return *this;
    }
    std::uint32_t index_;
};
// A vector of DST in a formula is one of fp32.
#define TESSERA_DST_OPERATOR(Result, op)                                \
    inline Result operator op(const DstVector& a, const vFloat& b) {    \
        return vFloat(a) op b;                                          \
    }                                                                   \
    inline Result operator op(const vFloat& a, const DstVector& b) {    \
        return a op vFloat(b);                                          \
    }                                                                   \
    inline Result operator op(const DstVector& a, const DstVector& b) { \
        return vFloat(a) op vFloat(b);                                  \
    }
TESSERA_DST_OPERATOR(vFloat, +)
TESSERA_DST_OPERATOR(vFloat, -)
TESSERA_DST_OPERATOR(vFloat, *)
TESSERA_DST_OPERATOR(vBool, <)
TESSERA_DST_OPERATOR(vBool, <=)
TESSERA_DST_OPERATOR(vBool, >)
TESSERA_DST_OPERATOR(vBool, >=)
TESSERA_DST_OPERATOR(vBool, ==)
TESSERA_DST_OPERATOR(vBool, !=)
#undef TESSERA_DST_OPERATOR

/// DST as an array of vectors, from the vector on that dst_reg++ has reached.
struct DstRegister {
    DstVector operator[](std::uint32_t index) const { return DstVector(index); }
    void operator++(int) const { tessera::kernel::advance_lanes(1); }
    void operator++() const { tessera::kernel::advance_lanes(1); }
    void operator+=(std::int32_t vectors) const { tessera::kernel::advance_lanes(vectors); }
};
inline constexpr DstRegister dst_reg;

// Constants of the vector unit.
inline constexpr vFloat vConst0 = 0.0F;
inline constexpr vFloat vConst1 = 1.0F;
inline constexpr vFloat vConstNeg1 = -1.0F;
inline constexpr vFloat vConst0p8373 = 0.8373F;
/// Twice the lane's number.
inline constexpr vInt vConstTileId{[] {
    LaneWords words{};
    for (std::uint32_t i = 0; i < kLanes; ++i) {
        words[i] = 2 * i;
    }
    return words;
}()};
/// A constant that the kernel sets, for all lanes.
template <class V, class Number, std::uint32_t index>
struct ProgrammableConstant {
    operator V() const {  // NOLINT: as the vendor's
        return V(std::bit_cast<Number>(tessera::kernel::lane_constant(index)));
    }
    void operator=(Number value) const {
        tessera::kernel::lane_constant(index) = std::bit_cast<std::uint32_t>(value);
    }
};
inline constexpr ProgrammableConstant<vFloat, float, 0> vConstFloatPrgm0;
inline constexpr ProgrammableConstant<vFloat, float, 1> vConstFloatPrgm1;
inline constexpr ProgrammableConstant<vFloat, float, 2> vConstFloatPrgm2;
inline constexpr ProgrammableConstant<vInt, std::int32_t, 0> vConstIntPrgm0;
inline constexpr ProgrammableConstant<vInt, std::int32_t, 1> vConstIntPrgm1;
inline constexpr ProgrammableConstant<vInt, std::int32_t, 2> vConstIntPrgm2;

/// Bits of a scalar as a float of all lanes.
constexpr vFloat s2vFloat16b(std::uint32_t bits) {
    return std::bit_cast<float>(bits << 16U);
}
constexpr vFloat s2vFloat16b(int bits) {
    return s2vFloat16b(static_cast<std::uint32_t>(bits));
}
constexpr vFloat s2vFloat16b(float value) {
    return value;
}
constexpr vFloat s2vFloat16a(float value) {
    return value;
}

// Fields of fp32 patterns.
inline constexpr std::uint32_t kMantissaBits = 23;
inline constexpr std::uint32_t kMantissaMask = 0x007FFFFF;
inline constexpr std::uint32_t kExponentMask = 0x7F800000;
inline constexpr std::uint32_t kSignMask = 0x80000000;
inline constexpr std::int32_t kExponentBias = 127;

constexpr vInt exexp_nodebias(const vFloat& v) {
    return reinterpret<vInt>((reinterpret<vUInt>(v) & kExponentMask) >> kMantissaBits);
}
constexpr vInt exexp(const vFloat& v) {
    return exexp_nodebias(v) - kExponentBias;
}
/// Mantissa with its hidden bit (exman8) or without it (exman9).
constexpr vInt exman9(const vFloat& v) {
    return reinterpret<vInt>(reinterpret<vUInt>(v) & kMantissaMask);
}
constexpr vInt exman8(const vFloat& v) {
    return exman9(v) | vInt(1 << kMantissaBits);
}
constexpr vFloat with_field(const vFloat& v, std::uint32_t mask, const vUInt& field) {
    return reinterpret<vFloat>((reinterpret<vUInt>(v) & ~mask) | (field & mask));
}
constexpr vFloat setexp(const vFloat& v, const vUInt& exponent) {
    return with_field(v, kExponentMask, exponent << kMantissaBits);
}
constexpr vFloat setexp(const vFloat& v, const vInt& exponent) {
    return setexp(v, reinterpret<vUInt>(exponent));
}
constexpr vFloat setexp(const vFloat& v, std::uint32_t exponent) {
    return setexp(v, vUInt(exponent));
}
constexpr vFloat setexp(const vFloat& v, int exponent) {
    return setexp(v, vUInt(exponent));
}
constexpr vFloat setman(const vFloat& v, const vUInt& mantissa) {
    return with_field(v, kMantissaMask, mantissa);
}
constexpr vFloat setman(const vFloat& v, const vInt& mantissa) {
    return setman(v, reinterpret<vUInt>(mantissa));
}
constexpr vFloat setman(const vFloat& v, std::uint32_t mantissa) {
    return setman(v, vUInt(mantissa));
}
constexpr vFloat setman(const vFloat& v, int mantissa) {
    return setman(v, vUInt(mantissa));
}
constexpr vFloat addexp(const vFloat& v, std::int32_t by) {
    return setexp(v, exexp_nodebias(v) + by);
}
constexpr vFloat setsgn(const vFloat& v, int sign) {
    return with_field(v, kSignMask, vUInt(static_cast<std::uint32_t>(sign) << 31U));
}
constexpr vFloat setsgn(const vFloat& v, const vFloat& sign) {
    return with_field(v, kSignMask, reinterpret<vUInt>(sign));
}
constexpr vFloat setsgn(const vFloat& v, const vInt& sign) {
    return with_field(v, kSignMask, reinterpret<vUInt>(sign));
}
constexpr vFloat copysgn(const vFloat& v, const vFloat& sign) {
    return setsgn(v, sign);
}
constexpr vFloat abs(const vFloat& v) {
    return setsgn(v, 0);
}
constexpr vInt abs(const vInt& v) {
    return detail::map<vInt>(
        [](std::int32_t x) {
            const auto bits = static_cast<std::uint32_t>(x);
            return static_cast<std::int32_t>(x < 0 ? 0U - bits : bits);
        },
        v);
}
/// Leading zeros of each lane's bits.
template <class V>
constexpr vInt lz(const V& v) {
    return detail::map<vInt>([](std::uint32_t x) { return std::countl_zero(x); },
                             reinterpret<vUInt>(v));
}
/// Puts the smaller values into `low` and the larger ones into `high`.
inline void vec_min_max(vFloat& low, vFloat& high) {
    const vFloat smaller =
        detail::map<vFloat>([](float a, float b) { return b < a ? b : a; }, low, high);
    high = detail::map<vFloat>([](float a, float b) { return b < a ? a : b; }, low, high);
    low = smaller;
}
inline void vec_swap(vFloat& a, vFloat& b) {
    const vFloat first = a;
    a = b;
    b = first;
}

/// Rounding of a conversion.
enum class RoundMode : std::uint8_t { NearestEven, Stochastic };

inline vFloat int32_to_float(const vInt& v, RoundMode /*mode*/ = RoundMode::NearestEven) {
    return detail::map<vFloat>([](std::int32_t x) { return static_cast<float>(x); }, v);
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
    return detail::map<vUInt>(
        [](float x) {
            const auto bits = std::bit_cast<std::uint32_t>(x);
            return std::isnan(x) ? bits : (bits + 0x7FFFU + (bits >> 16U & 1U)) & 0xFFFF0000U;
        },
        v);
}
inline vUInt float_to_fp16b(const vFloat& v, int /*mode*/) {
    return float_to_fp16b(v);
}
/// Rounds to the nearest integer of a range, and to its end beyond it.
inline vInt to_integer(const vFloat& v, float least, float largest) {
    return detail::map<vInt>(
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

/// Value of an 8-bit coefficient of a look-up table: sign, 3 bits of exponent, 4 of mantissa; the
/// exponent lowers the value, and 0xFF is 0.  Source  tt-isa-documentation, SFPLUT.
constexpr float lut_coefficient(std::uint32_t code) {
    const std::uint32_t exponent = 127U - (code >> 4U & 7U);
    const std::uint32_t bits =
        (code & 0x80U) << 24U | exponent << kMantissaBits | (code & 15U) << 19U;
    return (code & 0xFFU) == 0xFFU ? 0.0F : std::bit_cast<float>(bits);
}
/// Piecewise linear function of |v|: one table below 1, one below 2, one from 2 on. A table holds
/// the slope in bits 8 to 15 and the value at 0 in bits 0 to 7. The sign of v is kept.
inline vFloat lut(const vFloat& v, const vUInt& below_1, const vUInt& below_2,
                  const vUInt& from_2) {
    vFloat result;
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
using sfpi::dst_reg;
using sfpi::RoundMode;
using sfpi::vBool;
using sfpi::vConst0;
using sfpi::vConst0p8373;
using sfpi::vConst1;
using sfpi::vConstFloatPrgm0;
using sfpi::vConstFloatPrgm1;
using sfpi::vConstFloatPrgm2;
using sfpi::vConstIntPrgm0;
using sfpi::vConstIntPrgm1;
using sfpi::vConstIntPrgm2;
using sfpi::vConstNeg1;
using sfpi::vConstTileId;
using sfpi::vFloat;
using sfpi::vInt;
using sfpi::vUInt;
#endif
