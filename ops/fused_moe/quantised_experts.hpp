// SPDX-License-Identifier: Apache-2.0
// Experts whose weights the device quantises once a layer, and products whose operands are codes:
// what formats differ in is data.
#pragma once

#include "ops/fused_moe/roles.hpp"

namespace tessera::ops::fused_moe {

/// How operands of the products are coded, in words of the op quantise.
struct Scheme {
    const char* weight_codes;
    const char* weight_block;
    ActivationScheme activations = {};
};

namespace scheme {

/// e4m3 with a scale for each row of activations and each expert's weights: as CutlassExpertsFP8
/// with activations per token.
inline constexpr Scheme kFp8Token{"fp8_e4m3", "matrix", {"fp8_e4m3", "row"}};
/// e4m3 with one scale for all activations that a device has and one for each expert's weights: as
/// CutlassExpertsFP8 with activations per tensor.
inline constexpr Scheme kFp8Tensor{"fp8_e4m3", "matrix", {"fp8_e4m3", "tensor"}};
/// e4m3 with a scale for 1×128 of activations and 128×128 of weights: as DeepGemmExperts and
/// BatchedDeepGemmExperts. Blocks at the edges are smaller, which DeepGEMM refuses.
inline constexpr Scheme kFp8Block{"fp8_e4m3", "128x128", {"fp8_e4m3", "1x128"}};
/// Integers of 8 bits, activations with a scale a row, weights with one a row of the matrix: as the
/// Triton kernel with int8_w8a8 and per_channel_quant. Sums are fp32, exact up to 1040 products.
inline constexpr Scheme kInt8{"int8", "row", kInt8Rows};
/// Weights in integers of 8 bits with a scale a row of the matrix, activations in bfloat16: as the
/// Triton kernel with int8_w8a16.
inline constexpr Scheme kInt8Weights{"int8", "row"};
/// Weights in integers of 4 bits with a scale for 128 of a row of the matrix, activations in
/// bfloat16: as the Triton kernel with int4_w4a16, symmetrical (no zero points).
inline constexpr Scheme kInt4Weights{"int4", "1x128"};

}  // namespace scheme

/// Makes codes and scales of both weights, once a layer.
void load_coded(const Scheme& scheme, Layer& layer, Steps& steps);

/// Names of codes and scales; without scales the codes are numbers.
struct CodedRows {
    std::string codes;
    std::string scales;
};

/// Which rows of a tensor count; without a tensor all of them.
struct CountedTensor {
    std::string counts;
    const char* counted_by = "batches";
};

/// One of the two products of an expert.
enum class Projection : std::uint8_t { GateUp, Down };

/// Quantises rows for a product as the layer's weights ask for it. Codes of 4 bits become the
/// numbers that they stand for.
[[nodiscard]] CodedRows coded_rows(const Layer& layer, Projection projection,
                                   const std::string& rows, const CountedTensor& counted,
                                   Steps& steps);
/// Quantises rows for the first product before they are sent. Integers become bytes.
/// Precondition   the layer's activations have codes whose scales can be sent.
[[nodiscard]] CodedRows travelling_rows(const Layer& layer, const std::string& rows, Steps& steps);
/// Returns whether each row that was dispatched has scales of its own.
[[nodiscard]] bool has_row_scales(const Layer& layer, const Dispatched& tokens);
/// Turns bytes that were dispatched into what products take.
void widen_received(const Layer& layer, Dispatched& tokens, Steps& steps);
/// Quantises rows of what was dispatched for the first product, unless it was dispatched as codes.
[[nodiscard]] CodedRows coded_tokens(const Layer& layer, const Dispatched& tokens,
                                     const CountedTensor& counted, Steps& steps);

/// Inputs of a product: `leading` ones, then scales, zero points, bias and factors, as far as there are
/// any.
[[nodiscard]] std::vector<std::string> product_inputs(const Layer& layer, Projection projection,
                                                      std::vector<std::string> leading,
                                                      const CodedRows& rows);
/// Returns settings of a product, to which those of its weights and the rows of an expert are added.
[[nodiscard]] Settings product_settings(const Layer& layer, Projection projection,
                                        const Dispatched& tokens, Settings set);

}  // namespace tessera::ops::fused_moe
