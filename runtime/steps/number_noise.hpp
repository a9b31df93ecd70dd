// SPDX-License-Identifier: Apache-2.0
// Largest relative errors of number formats and of the multiplier.
#pragma once

#include "tessera/data_format.hpp"

namespace tessera::pipeline {

/// Returns the largest error of one rounding to a format, relative to the number. It is 0 for block
/// formats, whose error depends on the largest number of a block.
[[nodiscard]] constexpr double rounding_of(DataFormat format) noexcept {
    switch (format) {
        case DataFormat::Float16_b:
            return 0x1p-8;
        case DataFormat::Fp8_e4m3:
            return 0x1p-4;
        case DataFormat::Lf8:
            return 0x1p-3;
        case DataFormat::Float32:
            return 0x1p-24;
        default:
            return 0;
    }
}

/// Returns the error of a sum of products, relative to its rms: twice the largest part of a factor
/// that no phase multiplies (emu/tile/fidelity.hpp), 2^-4 of SrcA and 2^-6 of SrcB with LoFi. The
/// omitted parts vary from term to term; a few standard deviations of their sum are about as large
/// as their mean. On average, products shrink by a quarter of this at most.
[[nodiscard]] constexpr double multiplier_noise(MathFidelity fidelity) noexcept {
    switch (fidelity) {
        case MathFidelity::LoFi:
            return 0x1p-3 + 0x1p-5;
        case MathFidelity::HiFi2:
            return 0x1p-5;
        case MathFidelity::HiFi3:
            return 0x1p-9;
        case MathFidelity::HiFi4:
            break;
    }
    return 0;
}

}  // namespace tessera::pipeline
