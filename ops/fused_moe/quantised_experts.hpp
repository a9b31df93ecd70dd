// SPDX-License-Identifier: Apache-2.0
// Experts whose products take codes with scales, contiguous and batched: what they differ in is
// data.
#pragma once

#include "ops/fused_moe/roles.hpp"

namespace tessera::ops::fused_moe {

/// How operands of the products are coded, in words of the op quantise.
struct Scheme {
    const char* weight_codes;
    const char* weight_block;
    const char* activation_codes = nullptr;  ///< null: activations stay bfloat16
    const char* activation_block = nullptr;
};

namespace scheme {

/// e4m3 with a scale for each row of activations and each expert's weights: as CutlassExpertsFP8
/// with activations per token.
inline constexpr Scheme kFp8Token{"fp8_e4m3", "matrix", "fp8_e4m3", "row"};
/// e4m3 with one scale for all activations that a device has and one for each expert's weights: as
/// CutlassExpertsFP8 with activations per tensor.
inline constexpr Scheme kFp8Tensor{"fp8_e4m3", "matrix", "fp8_e4m3", "tensor"};
/// e4m3 with a scale for 1×128 of activations and 128×128 of weights: as DeepGemmExperts and
/// BatchedDeepGemmExperts. Blocks at the edges are smaller, which DeepGEMM refuses.
inline constexpr Scheme kFp8Block{"fp8_e4m3", "128x128", "fp8_e4m3", "1x128"};
/// Integers of 8 bits, activations with a scale a row, weights with one a row of the matrix: as the
/// Triton kernel with int8_w8a8 and per_channel_quant. Sums are fp32, exact up to 1040 products.
inline constexpr Scheme kInt8{"int8", "row", "int8", "row"};
/// Weights in integers of 8 bits with a scale a row of the matrix, activations in bfloat16: as the
/// Triton kernel with int8_w8a16.
inline constexpr Scheme kInt8Weights{"int8", "row"};
/// Weights in integers of 4 bits with a scale for 128 of a row of the matrix, activations in
/// bfloat16: as the Triton kernel with int4_w4a16, symmetrical (no zero points).
inline constexpr Scheme kInt4Weights{"int4", "1x128"};

}  // namespace scheme

/// Makes codes and scales of both weights, once a layer.
void load_coded(const Scheme& scheme, Layer& layer, Steps& steps);

/// Applies the experts to blocks of moe_align_block_size, rows gathered by the reader of the
/// product: as `grouped`, with activations quantised before each product. Those that were
/// dispatched in codes are taken so.
[[nodiscard]] ExpertOutput apply_grouped(const Scheme& scheme, const Layer& layer,
                                         const Dispatched& tokens, Steps& steps);

/// Applies the experts to the first rows of each expert's batch, as `batched_masked`.
[[nodiscard]] ExpertOutput apply_batched(const Scheme& scheme, const Layer& layer,
                                         const Dispatched& tokens, Steps& steps);

}  // namespace tessera::ops::fused_moe
