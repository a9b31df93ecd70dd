// SPDX-License-Identifier: Apache-2.0
// sfpi: vectors of 32 lanes in a kernel's own functions of the vector unit.
// Numeric  fp32, each operation rounded once to nearest even; the chip fuses a product with the sum
//          behind it and flushes subnormals. Stores to a 16-bit DST truncate, as SFPSTORE does.
// Order    v_if … v_elseif … v_else … v_endif limit assignments and stores to lanes.
// Source   sfpi (github.com/tenstorrent/sfpi), include/sfpi.h.
#pragma once

#include <bit>

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

}  // namespace sfpi

#ifdef COMPILE_FOR_TRISC
using sfpi::dst_reg;
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
