// SPDX-License-Identifier: Apache-2.0
// sfpi: vectors of DST, constants and conditions, for vector-unit functions that a kernel defines.
// Numeric  Stores to a 16-bit DST truncate, as SFPSTORE does.
// Order    v_if … v_elseif … v_else … v_endif limit assignments and stores to lanes.
// Source   sfpi (github.com/tenstorrent/sfpi), include/sfpi.h.
#pragma once

#include <bit>

#include "tessera/call_site.hpp"
#include "tessera/kernel/compute/sfpi_vectors.hpp"

#define v_if(...)                                   \
    {                                               \
        ::tessera::kernel::LaneCondition tessera_v; \
        tessera_v.take((__VA_ARGS__).lanes);
#define v_elseif(...)         \
    tessera_v.otherwise_if(); \
    tessera_v.take((__VA_ARGS__).lanes);
#define v_else tessera_v.otherwise();
#define v_endif }
#define v_block \
    {           \
        ::tessera::kernel::LaneCondition tessera_v;
#define v_and(...) tessera_v.narrow((__VA_ARGS__).lanes)
#define v_endblock }

namespace sfpi {

/// Index of dst_reg with its source position, which an operator cannot have as an argument.
struct DstIndex {
    DstIndex(std::int32_t written,  // NOLINT: as the vendor's int
             tessera::CallSite here = tessera::CallSite::here())
        : index(written), site(here) {}
    std::int32_t index;
    tessera::CallSite site;
};

/// Reference to a vector of DST, which reads and writes it.
class DstVector {
public:
    explicit DstVector(const DstIndex& place) : place_(place) {}
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
        issue();
        tessera::kernel::load_lanes(place_.index, words, place_.site);
        return V(words);
    }
    template <class V>
    DstVector& store(const V& value) {
        issue_on(value.source());
        tessera::kernel::store_lanes(place_.index, V::kNumbers, value.words(), place_.site);
        return *this;
    }
    DstIndex place_;
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

/// DST as an array of vectors, whose element 0 is the vector that dst_reg++ has reached.
struct DstRegister {
    DstVector operator[](const DstIndex& index) const { return DstVector(index); }
    void operator++(int) const { advance(1); }
    void operator++() const { advance(1); }
    void operator+=(std::int32_t vectors) const { advance(vectors); }

private:
    static void advance(std::int32_t vectors) {
        issue();
        tessera::kernel::advance_lanes(vectors);
    }
};
inline constexpr DstRegister dst_reg;

// Constants of the vector unit.
inline constexpr vFloat vConst0 = 0.0F;
inline constexpr vFloat vConst1 = 1.0F;
inline constexpr vFloat vConstNeg1 = -1.0F;
inline constexpr vFloat vConst0p8373 = 0.8373F;
/// Twice the index of each lane.
inline constexpr vInt vConstTileId{[] {
                                       LaneWords words{};
                                       for (std::uint32_t i = 0; i < kLanes; ++i) {
                                           words[i] = 2 * i;
                                       }
                                       return words;
                                   }(),
                                   {.origin = LaneOrigin::ConstantRegister}};
/// Programmable constant, equal in all lanes.
template <class V, class Number, std::uint32_t index>
struct ProgrammableConstant {
    operator V() const {  // NOLINT: as the vendor's
        LaneWords words;
        words.fill(tessera::kernel::lane_constant(index));
        return V(words, {.origin = LaneOrigin::ConstantRegister});
    }
    void operator=(Number value) const {
        const V loaded(value);
        issue_on(loaded.source());  // SFPCONFIG
        tessera::kernel::lane_constant(index) = std::bit_cast<std::uint32_t>(value);
    }
};
inline constexpr ProgrammableConstant<vFloat, float, 0> vConstFloatPrgm0;
inline constexpr ProgrammableConstant<vFloat, float, 1> vConstFloatPrgm1;
inline constexpr ProgrammableConstant<vFloat, float, 2> vConstFloatPrgm2;
inline constexpr ProgrammableConstant<vInt, std::int32_t, 0> vConstIntPrgm0;
inline constexpr ProgrammableConstant<vInt, std::int32_t, 1> vConstIntPrgm1;
inline constexpr ProgrammableConstant<vInt, std::int32_t, 2> vConstIntPrgm2;

/// Returns the float with the bit pattern of a scalar, in all lanes.
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
