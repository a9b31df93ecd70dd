// SPDX-License-Identifier: Apache-2.0
// Counts the instructions that sfpi code takes in the vector unit. The count prices vector-unit
// functions that a kernel defines (timing.sfpu.instruction).
// Counts   An operator or library function counts as the instructions that the vendor's compiler
//          emits for it on Wormhole. A product and the sum that reads it are one SFPMAD. A vector
//          that is initialised with another one shares its register.
// Waits    SFPMAD has a latency of two cycles: an instruction that reads the result of the one
//          before it takes another slot. The compiler may move an instruction into that slot, which
//          this count does not do. SFPSWAP takes two slots.
// Source   tt-isa-documentation, WormholeB0/TensixTile/TensixCoprocessor/VectorUnit.md, SFPMAD.md
//          and SFPSWAP.md; tt-metal,
//          docs/source/tt-metalium/tt_metal/apis/kernel_apis/sfpu/llk.rst.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "tessera/kernel/compute/vector_issue.hpp"

namespace tessera::kernel {

/// Returns whether instructions are counted. They are not in constants that the host's compiler
/// folds, nor in the initialisation of a kernel's globals, which no thread executes.
constexpr bool counts_instructions() {
    return !std::is_constant_evaluated() && tessera_vector_issue != nullptr;
}

/// Counts instructions that do not read the result of an SFPMAD.
constexpr void issue(std::uint32_t instructions = 1) {
    if (counts_instructions()) {
        tessera_vector_issue->slots += instructions;
    }
}

/// Number system of a vector that is stored in DST. A load does not convert the bits.
enum class LaneNumbers : std::uint8_t { Float, Integer };

/// Location of a value before an instruction reads it.
enum class LaneOrigin : std::uint8_t {
    Register,
    ConstantRegister,  ///< SFPLOADI is not needed
    Zero,              ///< a constant register that SFPSETCC compares with
};

/// Instruction that a vector comes from.
struct LaneSource {
    static constexpr std::uint32_t kNotOfMad = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t behind_mad = kNotOfMad;  ///< slots when the SFPMAD was issued
    LaneOrigin origin = LaneOrigin::Register;
};

/// Counts an instruction that reads vectors.
template <class... Sources>
constexpr void issue_on(const Sources&... sources) {
    if (counts_instructions()) {
        VectorIssue& unit = *tessera_vector_issue;
        const bool is_late = ((sources.behind_mad == unit.slots) || ...);
        const bool is_read = ((sources.behind_mad == unit.open_product) || ...);
        unit.slots += is_late ? 2 : 1;
        unit.open_product = is_read ? 0 : unit.open_product;
    }
}
/// Counts an SFPMAD and returns the source of its result.
constexpr LaneSource issue_mad(LaneSource a, LaneSource b) {
    issue_on(a, b);
    return counts_instructions() ? LaneSource{tessera_vector_issue->slots} : LaneSource{};
}
constexpr LaneSource issue_product(LaneSource a, LaneSource b) {
    const LaneSource product = issue_mad(a, b);
    if (counts_instructions()) {
        tessera_vector_issue->open_product = product.behind_mad;
    }
    return product;
}
/// Counts a sum, unless it is part of the SFPMAD of the product that it reads.
constexpr LaneSource issue_sum(LaneSource a, LaneSource b) {
    if (!counts_instructions()) {
        return {};
    }
    VectorIssue& unit = *tessera_vector_issue;
    if (a.behind_mad != unit.open_product && b.behind_mad != unit.open_product) {
        return issue_mad(a, b);
    }
    unit.open_product = 0;
    return {unit.slots};
}

enum class LaneTest : std::uint8_t { Less, AtLeast, Equal, NotEqual, Greater, AtMost };
/// Counts a comparison. SFPSETCC compares with 0. It takes one instruction, two for >, and SFPCOMPC
/// follows for <=. For a comparison with another number, that number is first subtracted, by SFPMAD
/// or by SFPIADD, which tests the sign itself.
constexpr void issue_test(LaneTest test, LaneNumbers numbers, LaneSource a, LaneSource b) {
    const bool is_sign = test == LaneTest::Less || test == LaneTest::AtLeast;
    if (b.origin != LaneOrigin::Zero) {
        if (numbers == LaneNumbers::Float) {
            a = issue_mad(a, b);
        } else if (!is_sign) {
            issue_on(a, b);
        }
    }
    issue_on(a);
    issue(test == LaneTest::Greater ? 1 : test == LaneTest::AtMost ? 2 : 0);
}

constexpr bool is_bfloat16(float value) {
    return (std::bit_cast<std::uint32_t>(value) & 0xFFFFU) == 0;
}
/// Counts the SFPLOADI of a constant: one for a bfloat16, an fp16 or an integer of 16 bits, else
/// one for each half. Some floats and 0 are in constant registers.
constexpr LaneSource issue_constant(float value) {
    constexpr std::uint32_t kBelowFp16 = 0x1FFF;  // mantissa bits that fp16 lacks
    constexpr std::uint32_t kExponentBits = 23;
    constexpr std::uint32_t kLeastOfFp16 = 127 - 14;
    constexpr std::uint32_t kLargestOfFp16 = 127 + 15;
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if (bits == 0) {
        return {.origin = LaneOrigin::Zero};
    }
    if (value == 1.0F || value == -1.0F || value == 0.8373F) {
        return {.origin = LaneOrigin::ConstantRegister};
    }
    const std::uint32_t exponent = bits >> kExponentBits & 0xFFU;
    const bool is_fp16 =
        (bits & kBelowFp16) == 0 && exponent >= kLeastOfFp16 && exponent <= kLargestOfFp16;
    issue(is_bfloat16(value) || is_fp16 ? 1 : 2);
    return {};
}
constexpr LaneSource issue_constant(std::int64_t value) {
    constexpr std::int64_t kHalf = 0xFFFF;
    if (value == 0) {
        return {.origin = LaneOrigin::Zero};
    }
    issue((value >= -kHalf / 2 - 1 && value <= kHalf) || (value & kHalf) == 0 ? 1 : 2);
    return {};
}

}  // namespace tessera::kernel
