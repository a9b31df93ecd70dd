// SPDX-License-Identifier: Apache-2.0
// The functions of the vector unit as enumerations, an enumerator for each row of sfpu_table.inc.
#pragma once

#include <cstdint>

namespace tessera::kernel {

/// Functions of one DST tile, or of one and a scalar.
enum class Sfpu : std::uint8_t {
#define SFPU_UNARY(call, Word, ...) Word,
#define SFPU_SCALAR(call, Word, ...) Word,
#include "tessera/kernel/compute/sfpu_table.inc"
    NumFunctions,
};

/// Accuracy of a call on the chip, where an approximation is faster: chosen by math_approx_mode of
/// the kernel, or fixed by a template argument of the call.
enum class SfpuForm : std::uint8_t { OfKernel, Accurate, Approximate };

[[nodiscard]] constexpr SfpuForm sfpu_form(bool is_approximate) noexcept {
    return is_approximate ? SfpuForm::Approximate : SfpuForm::Accurate;
}

/// Functions of two DST tiles.
enum class SfpuBinary : std::uint8_t {
#define SFPU_BINARY(call, Op, ...) Op,
#include "tessera/kernel/compute/sfpu_table.inc"
    NumFunctions,
};

/// Functions of two DST tiles of integers, or of one and a scalar.
enum class SfpuInteger : std::uint8_t {
#define SFPU_INTEGER_ARITHMETIC(call, Op) Op,
#define SFPU_INTEGER_BINARY(call, Op) Op,
#define SFPU_INTEGER_SCALAR(call, Op, shape) Scalar##Op,
#include "tessera/kernel/compute/sfpu_table.inc"
};

}  // namespace tessera::kernel
