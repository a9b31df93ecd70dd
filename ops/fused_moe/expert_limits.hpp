// SPDX-License-Identifier: Apache-2.0
// What results of experts may be off by, from what rounding does to the codes they work on.
#pragma once

#include "ops/fused_moe/roles.hpp"

namespace tessera::ops::fused_moe {

/// Root mean square of what rounding does to an element, over the elements' own.
struct CodeErrors {
    double activations = 0;
    double weights = 0;
};

// A step of the last bit is uniform: its error has rms step/√12. e4m3 and bfloat16: steps of 2^-3
// and 2^-7 of the binade, 1/√2 of it at the mean of 1/x². Integers and block formats: the step
// belongs to the largest of those that share it, which of normal numbers is 4 deviations of a
// matrix' row of thousands, 3 of 128 and, of the blocks of 16, 2, rounded up to a power of two.
inline constexpr double kStep = 0.288675;  // 1/√12
inline constexpr double kBf16 = 0.0078125 * kStep * 0.7071;
inline constexpr double kE4m3 = 0.125 * kStep * 0.7071;
inline constexpr double kInt8 = 4.0 / 127 * kStep;
inline constexpr double kInt4 = 3.0 / 7 * kStep;
inline constexpr double kBfp8 = 4.0 / 128 * kStep;
inline constexpr double kBfp4 = 4.0 / 8 * kStep;

/// What results may be off by. Both operands of a product bring their errors, gate and up one such
/// product each, then the second product its own: ε² = 3 (a² + w²), and bfloat16 between the
/// steps. Errors go with the size of a token's results, which is up to twice the rms of all where
/// one expert has most of its weight: an element is allowed five deviations of such a token, 10 ε,
/// and the correlation twice what ε costs it, ε²/2.
constexpr ExpertLimits limits_of(CodeErrors errors) {
    const double squares = 3 * (errors.activations * errors.activations +
                                errors.weights * errors.weights + 2 * kBf16 * kBf16);
    return {.max_error_squared = 100 * squares, .min_pcc = 1 - squares};
}

}  // namespace tessera::ops::fused_moe
