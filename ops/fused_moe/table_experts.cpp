// SPDX-License-Identifier: Apache-2.0
// The ways to compute experts, a row each, with what rounding may cost their results. To add one: a
// file with its functions in a namespace of its own, its declaration and its row here; to add codes
// of operands, a Scheme and its rows.
#include <array>

#include "ops/fused_moe/find_row.hpp"
#include "ops/fused_moe/quantised_experts.hpp"
#include "ops/fused_moe/roles.hpp"

namespace tessera::ops::fused_moe {

#define EXPERTS(name)                                                               \
    namespace name {                                                                \
    ExpertOutput apply(const Layer& layer, const Dispatched& tokens, Steps& steps); \
    }
#define WEIGHTS(name)                      \
    namespace name {                       \
    void load(Layer& layer, Steps& steps); \
    }

EXPERTS(naive_batched)
EXPERTS(batched_masked)
EXPERTS(batched_grouped)
EXPERTS(batched_bmm)
EXPERTS(batched_by_shape)
EXPERTS(grouped)
EXPERTS(grouped_permuted)
EXPERTS(grouped_by_shape)
EXPERTS(fp8_pipeline)
WEIGHTS(bfp8)
WEIGHTS(bfp4)
namespace grouped_permuted {
WorkspaceShapes workspace_shapes(const Layer& layer, const Dispatched& tokens);
}
namespace fp8_pipeline {
WorkspaceShapes workspace_shapes(const Layer& layer, const Dispatched& tokens);
}
namespace grouped_by_shape {
WorkspaceShapes workspace_shapes(const Layer& layer, const Dispatched& tokens);
}

#undef EXPERTS
#undef WEIGHTS

namespace {

/// Root mean square of what rounding does to an element, over the elements' own.
struct CodeErrors {
    double activations = 0;
    double weights = 0;
};

// A step of the last bit is uniform: its error has rms step/√12. e4m3 and bfloat16: steps of 2^-3
// and 2^-7 of the binade, 1/√2 of it at the mean of 1/x². Integers and block formats: the step
// belongs to the largest of those that share it, rounded up to a power of two. For normal numbers
// that is 4 deviations of a matrix' row of thousands, 3 of 128 and 2 of the blocks of 16.
constexpr double kRmsOfStep = 0.288675;  // 1/√12
constexpr double kBf16 = 0.0078125 * kRmsOfStep * 0.7071;
constexpr double kE4m3 = 0.125 * kRmsOfStep * 0.7071;
constexpr double kInt8 = 4.0 / 127 * kRmsOfStep;
constexpr double kInt4 = 3.0 / 7 * kRmsOfStep;
constexpr double kBfp8 = 4.0 / 128 * kRmsOfStep;
constexpr double kBfp4 = 4.0 / 8 * kRmsOfStep;

/// Returns the errors that results may have. Both operands of a product bring their errors, gate
/// and up one such product each, then the second product its own: ε² = 3 (a² + w²), and bfloat16
/// between the steps. Errors grow with the size of a token's results. That is up to twice the rms
/// of all if one expert has most of its weight. An element is allowed five deviations of such a
/// token, 10 ε, and the correlation twice what ε costs it, ε²/2.
constexpr ExpertLimits limits_of(CodeErrors errors) {
    const double squares = 3 * (errors.activations * errors.activations +
                                errors.weights * errors.weights + 2 * kBf16 * kBf16);
    return {.max_error_squared = 100 * squares, .min_pcc = 1 - squares};
}

struct Names {
    std::string_view name;
    std::string_view like;
};

/// Return rows of experts whose products take codes, contiguous and batched.
template <const Scheme& kScheme>
constexpr Experts grouped_coded(const Names& names, Quantisation quantisation, CodeErrors errors) {
    return {.name = names.name,
            .like = names.like,
            .activation_format = Format::Standard,
            .supports_chunking = true,
            .supports_expert_map = true,
            .quantisation = quantisation,
            .limits = limits_of(errors),
            .finalize_weight_and_reduce = "no_op",
            .workspace_shapes = standard_workspaces,
            .load = [](Layer& layer, Steps& steps) { load_coded(kScheme, layer, steps); },
            .apply = grouped::apply};
}
template <const Scheme& kScheme>
constexpr Experts batched_coded(const Names& names, Quantisation quantisation, CodeErrors errors) {
    return {.name = names.name,
            .like = names.like,
            .activation_format = Format::BatchedExperts,
            .quantisation = quantisation,
            .limits = limits_of(errors),
            .finalize_weight_and_reduce = "delegate",
            .workspace_shapes = batched_workspaces,
            .load = [](Layer& layer, Steps& steps) { load_coded(kScheme, layer, steps); },
            .apply = batched_masked::apply};
}

constexpr std::array kExperts{
    Experts{.name = "grouped",
            .like = "TritonExperts",
            .activation_format = Format::Standard,
            .supports_chunking = true,
            .supports_expert_map = true,
            .finalize_weight_and_reduce = "no_op",
            .workspace_shapes = standard_workspaces,
            .apply = grouped::apply},
    Experts{.name = "grouped_permuted",
            .like = "DeepGemmExperts, unquantised",
            .activation_format = Format::Standard,
            .supports_chunking = true,
            .supports_expert_map = true,
            .finalize_weight_and_reduce = "contiguous",
            .workspace_shapes = grouped_permuted::workspace_shapes,
            .apply = grouped_permuted::apply},
    Experts{.name = "grouped_by_shape",
            .like = "TritonOrDeepGemmExperts",
            .activation_format = Format::Standard,
            .supports_chunking = true,
            .supports_expert_map = true,
            .finalize_weight_and_reduce = "no_op",
            .workspace_shapes = grouped_by_shape::workspace_shapes,
            .apply = grouped_by_shape::apply},
    Experts{.name = "grouped_bfp8",
            .like = "TritonExperts with weights of 8 bits (bfp8_b)",
            .activation_format = Format::Standard,
            .supports_chunking = true,
            .supports_expert_map = true,
            .quantisation = Quantisation::WeightBfp8,
            .limits = limits_of({.weights = kBfp8}),
            .finalize_weight_and_reduce = "no_op",
            .workspace_shapes = standard_workspaces,
            .load = bfp8::load,
            .apply = grouped::apply},
    Experts{.name = "grouped_bfp4",
            .like = "CutlassExpertsFP4 (bfp4_b here)",
            .activation_format = Format::Standard,
            .supports_chunking = true,
            .supports_expert_map = true,
            .quantisation = Quantisation::WeightBfp4,
            .limits = limits_of({.weights = kBfp4}),
            .finalize_weight_and_reduce = "no_op",
            .workspace_shapes = standard_workspaces,
            .load = bfp4::load,
            .apply = grouped::apply},
    Experts{.name = "batched_bfp4",
            .like = "CutlassExpertsFP4, batched (bfp4_b here)",
            .activation_format = Format::BatchedExperts,
            .quantisation = Quantisation::WeightBfp4,
            .limits = limits_of({.weights = kBfp4}),
            .finalize_weight_and_reduce = "delegate",
            .workspace_shapes = batched_workspaces,
            .load = bfp4::load,
            .apply = batched_masked::apply},
    grouped_coded<scheme::kFp8Token>({"grouped_fp8", "CutlassExpertsFP8, per token"},
                                     Quantisation::Fp8Token, {kE4m3, kE4m3}),
    batched_coded<scheme::kFp8Token>({"batched_fp8", "CutlassBatchedExpertsFp8, per token"},
                                     Quantisation::Fp8Token, {kE4m3, kE4m3}),
    grouped_coded<scheme::kFp8Tensor>({"grouped_fp8_tensor", "CutlassExpertsFP8, per tensor"},
                                      Quantisation::Fp8Tensor, {kE4m3, kE4m3}),
    batched_coded<scheme::kFp8Tensor>(
        {"batched_fp8_tensor", "CutlassBatchedExpertsFp8, per tensor"}, Quantisation::Fp8Tensor,
        {kE4m3, kE4m3}),
    grouped_coded<scheme::kFp8Block>({"grouped_fp8_block", "DeepGemmExperts"},
                                     Quantisation::Fp8Block, {kE4m3, kE4m3}),
    batched_coded<scheme::kFp8Block>({"batched_fp8_block", "BatchedDeepGemmExperts"},
                                     Quantisation::Fp8Block, {kE4m3, kE4m3}),
    // Sums of the first product are rounded to e4m3, too.
    Experts{.name = "fp8_pipeline",
            .like = "FlashInferExperts",
            .activation_format = Format::Standard,
            .supports_chunking = true,
            .supports_expert_map = true,
            .quantisation = Quantisation::Fp8Block,
            .has_expert_products = false,
            .made_for = Quantisation::Fp8Block,
            .needs_contiguous_experts = true,
            .limits = limits_of({1.5 * kE4m3, kE4m3}),
            .finalize_weight_and_reduce = "no_op",
            .workspace_shapes = fp8_pipeline::workspace_shapes,
            .apply = fp8_pipeline::apply},
    grouped_coded<scheme::kInt8>({"grouped_int8", "TritonExperts, int8_w8a8"}, Quantisation::Int8,
                                 {kInt8, kInt8}),
    batched_coded<scheme::kInt8>({"batched_int8", "BatchedTritonExperts, int8_w8a8"},
                                 Quantisation::Int8, {kInt8, kInt8}),
    grouped_coded<scheme::kInt8Weights>({"grouped_int8_weights", "TritonExperts, int8_w8a16"},
                                        Quantisation::WeightInt8, {.weights = kInt8}),
    batched_coded<scheme::kInt8Weights>(
        {"batched_int8_weights", "BatchedTritonExperts, int8_w8a16"}, Quantisation::WeightInt8,
        {.weights = kInt8}),
    grouped_coded<scheme::kInt4Weights>({"grouped_int4_weights", "TritonExperts, int4_w4a16"},
                                        Quantisation::WeightInt4, {.weights = kInt4}),
    batched_coded<scheme::kInt4Weights>(
        {"batched_int4_weights", "BatchedTritonExperts, int4_w4a16"}, Quantisation::WeightInt4,
        {.weights = kInt4}),
    Experts{.name = "naive_batched",
            .like = "NaiveBatchedExperts",
            .activation_format = Format::BatchedExperts,
            .finalize_weight_and_reduce = "delegate",
            .workspace_shapes = batched_workspaces,
            .apply = naive_batched::apply},
    Experts{.name = "batched_bmm",
            .like = "the V2 layer's products",
            .activation_format = Format::BatchedExperts,
            .has_expert_products = false,
            .finalize_weight_and_reduce = "delegate",
            .workspace_shapes = batched_workspaces,
            .apply = batched_bmm::apply},
    Experts{.name = "batched_masked",
            .like = "BatchedDeepGemmExperts, unquantised",
            .activation_format = Format::BatchedExperts,
            .finalize_weight_and_reduce = "delegate",
            .workspace_shapes = batched_workspaces,
            .apply = batched_masked::apply},
    Experts{.name = "batched_grouped",
            .like = "BatchedTritonExperts",
            .activation_format = Format::BatchedExperts,
            .finalize_weight_and_reduce = "delegate",
            .workspace_shapes = batched_workspaces,
            .apply = batched_grouped::apply},
    Experts{.name = "batched_by_shape",
            .like = "BatchedTritonOrDeepGemmExperts",
            .activation_format = Format::BatchedExperts,
            .finalize_weight_and_reduce = "delegate",
            .workspace_shapes = batched_workspaces,
            .apply = batched_by_shape::apply},
};

}  // namespace

std::span<const Experts> all_experts() {
    return kExperts;
}

const Experts* find_experts(std::string_view name) {
    return find_row(kExperts, name);
}

}  // namespace tessera::ops::fused_moe
