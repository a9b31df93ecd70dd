// SPDX-License-Identifier: Apache-2.0
// sfpi: registers of 32 lanes and their operators.
// Numeric  fp32, each operation rounded once to nearest even; the chip fuses a product with the sum
//          that follows it, and flushes subnormals.
// Source   sfpi (github.com/tenstorrent/sfpi), include/sfpi.h.
#pragma once

#include <bit>

#include "tessera/kernel/compute/sfpi_lanes.hpp"

namespace sfpi {

using tessera::kernel::issue;
using tessera::kernel::issue_constant;
using tessera::kernel::issue_on;
using tessera::kernel::kLanes;
using tessera::kernel::LaneMask;
using tessera::kernel::LaneNumbers;
using tessera::kernel::LaneOrigin;
using tessera::kernel::LaneSource;
using tessera::kernel::LaneTest;
using tessera::kernel::LaneWords;

/// Result of a comparison: a bit for each lane. Each comparison narrows the flags of the lanes. The
/// complement of a test takes SFPCOMPC; an alternative (||) also takes SFPPUSHC and SFPPOPC.
struct vBool {
    LaneMask lanes = 0;
    friend constexpr vBool operator&&(vBool a, vBool b) { return {a.lanes & b.lanes}; }
    friend constexpr vBool operator||(vBool a, vBool b) {
        constexpr std::uint32_t kInstructions = 3;
        issue(kInstructions);
        return {a.lanes | b.lanes};
    }
    friend constexpr vBool operator!(vBool a) {
        issue();
        return {~a.lanes};
    }
};

/// Vector register, with the bit pattern of each lane. An assignment changes only the active lanes.
template <class Number>
class Vector {
public:
    constexpr Vector() = default;
    constexpr Vector(const Vector&) = default;
    constexpr Vector(Vector&&) noexcept = default;
    ~Vector() = default;
    /// SFPMOV: the other register keeps its value.
    constexpr Vector& operator=(const Vector& other) {
        issue_on(other.source_);
        return assign(other);
    }
    /// The instruction that computes the value writes it to this register; only constant registers
    /// take SFPMOV.
    constexpr Vector& operator=(Vector&& other) {  // NOLINT: not noexcept, as active_lanes()
        issue(other.source_.origin == LaneOrigin::Register ? 0 : 1);
        return assign(other);
    }
    constexpr explicit Vector(const LaneWords& words, LaneSource source = {})
        : words_(words), source_(source) {}

    [[nodiscard]] constexpr Number lane(std::uint32_t i) const {
        return std::bit_cast<Number>(words_[i]);
    }
    constexpr void set_lane(std::uint32_t i, Number value) {
        words_[i] = std::bit_cast<std::uint32_t>(value);
    }
    [[nodiscard]] constexpr const LaneWords& words() const { return words_; }
    /// Returns the instruction that computed the value, on which the slots of its reader depend.
    [[nodiscard]] constexpr LaneSource source() const { return source_; }

protected:
    constexpr explicit Vector(Number value, LaneSource source) : source_(source) {
        words_.fill(std::bit_cast<std::uint32_t>(value));
    }

private:
    constexpr Vector& assign(const Vector& other) {
        const LaneMask active = tessera::kernel::active_lanes();
        for (std::uint32_t i = 0; i < kLanes; ++i) {
            words_[i] = (active >> i & 1U) != 0 ? other.words_[i] : words_[i];
        }
        source_ = {other.source_.behind_mad};  // inactive lanes may keep another value
        return *this;
    }
    LaneWords words_{};
    LaneSource source_;
};

class vUInt;
/// 32 lanes of fp32.
class vFloat : public Vector<float> {
public:
    using Vector::Vector;
    static constexpr LaneNumbers kNumbers = LaneNumbers::Float;
    constexpr vFloat() = default;
    constexpr vFloat(float value)  // NOLINT: as the vendor's
        : Vector(value, issue_constant(value)) {}
};
/// 32 lanes of int32.
class vInt : public Vector<std::int32_t> {
public:
    using Vector::Vector;
    static constexpr LaneNumbers kNumbers = LaneNumbers::Integer;
    constexpr vInt() = default;
    constexpr vInt(std::int32_t value)  // NOLINT: as the vendor's
        : Vector(value, issue_constant(std::int64_t{value})) {}
    constexpr vInt(const vUInt& other);  // NOLINT: as the vendor's
};
/// 32 lanes of uint32.
class vUInt : public Vector<std::uint32_t> {
public:
    using Vector::Vector;
    static constexpr LaneNumbers kNumbers = LaneNumbers::Integer;
    constexpr vUInt() = default;
    constexpr vUInt(std::uint32_t value)  // NOLINT: as the vendor's
        : Vector(value, issue_constant(std::int64_t{value})) {}
    constexpr vUInt(std::int32_t value)  // NOLINT: as the vendor's
        : Vector(static_cast<std::uint32_t>(value), issue_constant(std::int64_t{value})) {}
    constexpr explicit vUInt(const vInt& other) : Vector(other.words(), other.source()) {}
};
constexpr vInt::vInt(const vUInt& other) : Vector(other.words(), other.source()) {
}

/// Returns the same bits as another kind of vector.
template <class To, class From>
constexpr To reinterpret(const From& from) {
    return To(from.words(), from.source());
}

// Computes lanes without counting instructions, which the callers count.
namespace detail {
template <class Result, class Function, class... Vectors>
constexpr Result map_from(LaneSource source, Function function, const Vectors&... vectors) {
    LaneWords words{};
    for (std::uint32_t i = 0; i < kLanes; ++i) {
        words[i] = std::bit_cast<std::uint32_t>(function(vectors.lane(i)...));
    }
    return Result(words, source);
}
template <class Result, class Function, class... Vectors>
constexpr Result map(Function function, const Vectors&... vectors) {
    return map_from<Result>(LaneSource{}, function, vectors...);
}
/// Counts one instruction that reads the vectors, and returns its result.
template <class Result, class Function, class... Vectors>
constexpr Result map_once(Function function, const Vectors&... vectors) {
    issue_on(vectors.source()...);
    return map<Result>(function, vectors...);
}
template <LaneTest test, class Function, class V>
constexpr vBool compare(Function function, const V& a, const V& b) {
    tessera::kernel::issue_test(test, V::kNumbers, a.source(), b.source());
    vBool result;
    for (std::uint32_t i = 0; i < kLanes; ++i) {
        result.lanes |= LaneMask{function(a.lane(i), b.lane(i))} << i;
    }
    return result;
}
}  // namespace detail

// SFPMAD does sums and products of floats.
constexpr vFloat operator+(const vFloat& a, const vFloat& b) {
    return detail::map_from<vFloat>(
        tessera::kernel::issue_sum(a.source(), b.source()), [](float x, float y) { return x + y; },
        a, b);
}
constexpr vFloat operator-(const vFloat& a, const vFloat& b) {
    return detail::map_from<vFloat>(
        tessera::kernel::issue_mad(a.source(), b.source()), [](float x, float y) { return x - y; },
        a, b);
}
constexpr vFloat operator*(const vFloat& a, const vFloat& b) {
    return detail::map_from<vFloat>(
        tessera::kernel::issue_product(a.source(), b.source()),
        [](float x, float y) { return x * y; }, a, b);
}
constexpr vFloat operator-(const vFloat& a) {
    return detail::map_once<vFloat>([](float x) { return -x; }, a);
}

#define TESSERA_LANES_ARITHMETIC(V, op)                                             \
    constexpr V operator op(const V& a, const V& b) {                               \
        return detail::map_once<V>(                                                 \
            [](auto x, auto y) { return static_cast<decltype(x)>(x op y); }, a, b); \
    }
#define TESSERA_LANES_ASSIGNMENT(V, op)          \
    inline V& operator op##=(V& a, const V& b) { \
        return a = a op b;                       \
    }
#define TESSERA_LANES_COMPARISON(V, op, test)                                                \
    constexpr vBool operator op(const V& a, const V& b) {                                    \
        return detail::compare<LaneTest::test>([](auto x, auto y) { return x op y; }, a, b); \
    }
#define TESSERA_LANES_COMPARISONS(V)         \
    TESSERA_LANES_COMPARISON(V, <, Less)     \
    TESSERA_LANES_COMPARISON(V, <=, AtMost)  \
    TESSERA_LANES_COMPARISON(V, >, Greater)  \
    TESSERA_LANES_COMPARISON(V, >=, AtLeast) \
    TESSERA_LANES_COMPARISON(V, ==, Equal)   \
    TESSERA_LANES_COMPARISON(V, !=, NotEqual)
#define TESSERA_LANES_INTEGER(V)                                                            \
    TESSERA_LANES_COMPARISONS(V)                                                            \
    TESSERA_LANES_ARITHMETIC(V, &)                                                          \
    TESSERA_LANES_ARITHMETIC(V, |)                                                          \
    TESSERA_LANES_ARITHMETIC(V, ^)                                                          \
    TESSERA_LANES_ASSIGNMENT(V, &)                                                          \
    TESSERA_LANES_ASSIGNMENT(V, |)                                                          \
    TESSERA_LANES_ASSIGNMENT(V, ^)                                                          \
    constexpr V operator~(const V& a) {                                                     \
        return detail::map_once<V>([](auto x) { return static_cast<decltype(x)>(~x); }, a); \
    }
// SFPADDI and SFPMULI contain a bfloat16 operand. They overwrite the register, so the compiler uses
// them if its old value is not read again.
#define TESSERA_LANES_IMMEDIATE(op)                                                     \
    inline vFloat& operator op##=(vFloat& a, float b) {                                 \
        if (!tessera::kernel::is_bfloat16(b)) {                                         \
            return a = a op vFloat(b);                                                  \
        }                                                                               \
        const LaneSource source = tessera::kernel::issue_mad(a.source(), LaneSource{}); \
        return a = detail::map_from<vFloat>(                                            \
                   source, [b](float x) { return x op b; }, a);                         \
    }
TESSERA_LANES_IMMEDIATE(+)
TESSERA_LANES_IMMEDIATE(-)
TESSERA_LANES_IMMEDIATE(*)
#undef TESSERA_LANES_IMMEDIATE
TESSERA_LANES_ASSIGNMENT(vFloat, +)
TESSERA_LANES_ASSIGNMENT(vFloat, -)
TESSERA_LANES_ASSIGNMENT(vFloat, *)
TESSERA_LANES_COMPARISONS(vFloat)
TESSERA_LANES_INTEGER(vInt)
TESSERA_LANES_INTEGER(vUInt)
TESSERA_LANES_ARITHMETIC(vUInt, +)
TESSERA_LANES_ARITHMETIC(vUInt, -)
TESSERA_LANES_ASSIGNMENT(vUInt, +)
TESSERA_LANES_ASSIGNMENT(vUInt, -)
// Integers wrap, as on the chip.
constexpr vInt operator+(const vInt& a, const vInt& b) {
    return reinterpret<vInt>(reinterpret<vUInt>(a) + reinterpret<vUInt>(b));
}
constexpr vInt operator-(const vInt& a, const vInt& b) {
    return reinterpret<vInt>(reinterpret<vUInt>(a) - reinterpret<vUInt>(b));
}
constexpr vInt operator-(const vInt& a) {
    return vInt(0) - a;
}
TESSERA_LANES_ASSIGNMENT(vInt, +)
TESSERA_LANES_ASSIGNMENT(vInt, -)
#undef TESSERA_LANES_INTEGER
#undef TESSERA_LANES_COMPARISONS
#undef TESSERA_LANES_COMPARISON
#undef TESSERA_LANES_ASSIGNMENT
#undef TESSERA_LANES_ARITHMETIC

/// Shifts each lane left by `count`, or right by −count, and shifts in zeros, like SFPSHFT.
constexpr vUInt shft(const vUInt& value, const vInt& count) {
    return detail::map_once<vUInt>(
        [](std::uint32_t x, std::int32_t by) {
            const std::uint32_t amount = static_cast<std::uint32_t>(by < 0 ? -by : by) & 31U;
            return by < 0 ? x >> amount : x << amount;
        },
        value, count);
}
constexpr vUInt operator<<(const vUInt& a, std::uint32_t by) {
    return detail::map_once<vUInt>([by](std::uint32_t x) { return x << by; }, a);
}
constexpr vUInt operator>>(const vUInt& a, std::uint32_t by) {
    return detail::map_once<vUInt>([by](std::uint32_t x) { return x >> by; }, a);
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

}  // namespace sfpi
