// SPDX-License-Identifier: Apache-2.0
// The implementations of the three roles, a row each. To add one: a file with its functions in a
// namespace of its own, its declaration and its row here.
#include <algorithm>
#include <array>

#include "ops/fused_moe/roles.hpp"

namespace tessera::ops::fused_moe {

#define PREPARE_FINALIZE(name)                                                          \
    namespace name {                                                                    \
    Dispatched prepare(const Layer& layer, Steps& steps);                               \
    std::string finalize(const Layer& layer, const std::string& partial, Steps& steps); \
    }
#define EXPERTS(name)                                                               \
    namespace name {                                                                \
    ExpertOutput apply(const Layer& layer, const Dispatched& tokens, Steps& steps); \
    }
#define WEIGHTS(name)                      \
    namespace name {                       \
    void load(Layer& layer, Steps& steps); \
    }
#define WEIGHT_AND_REDUCE(name)                                                                 \
    namespace name {                                                                            \
    std::string apply(const Layer& layer, const Dispatched& tokens, const ExpertOutput& output, \
                      Steps& steps);                                                            \
    }

PREPARE_FINALIZE(none)
PREPARE_FINALIZE(naive_broadcast)
PREPARE_FINALIZE(all_gather)
PREPARE_FINALIZE(quantised_all_gather)
PREPARE_FINALIZE(all_to_all_contiguous)
PREPARE_FINALIZE(all_to_all_batched)
PREPARE_FINALIZE(all_to_all_capped)
PREPARE_FINALIZE(batched)
namespace batched {
std::uint32_t capacity(const Layer& layer);
}
namespace all_to_all_batched {
std::uint32_t capacity(const Layer& layer);
}
namespace all_to_all_capped {
std::uint32_t capacity(const Layer& layer);
}
EXPERTS(naive_batched)
EXPERTS(batched_masked)
EXPERTS(batched_grouped)
EXPERTS(batched_bmm)
EXPERTS(grouped)
EXPERTS(grouped_permuted)
EXPERTS(grouped_by_shape)
WEIGHTS(bfp8)
WEIGHTS(bfp4)
EXPERTS(grouped_fp8)
WEIGHTS(grouped_fp8)
EXPERTS(batched_fp8)
WEIGHTS(batched_fp8)
EXPERTS(grouped_fp8_tensor)
WEIGHTS(grouped_fp8_tensor)
EXPERTS(batched_fp8_tensor)
WEIGHTS(batched_fp8_tensor)
EXPERTS(grouped_fp8_block)
WEIGHTS(grouped_fp8_block)
EXPERTS(batched_fp8_block)
WEIGHTS(batched_fp8_block)
EXPERTS(grouped_int8)
WEIGHTS(grouped_int8)
EXPERTS(batched_int8)
WEIGHTS(batched_int8)
EXPERTS(grouped_int8_weights)
WEIGHTS(grouped_int8_weights)
EXPERTS(batched_int8_weights)
WEIGHTS(batched_int8_weights)
EXPERTS(grouped_int4_weights)
WEIGHTS(grouped_int4_weights)
EXPERTS(batched_int4_weights)
WEIGHTS(batched_int4_weights)
namespace grouped_permuted {
WorkspaceShapes workspace_shapes(const Layer& layer, const Dispatched& tokens);
}
namespace grouped_by_shape {
WorkspaceShapes workspace_shapes(const Layer& layer, const Dispatched& tokens);
}
WEIGHT_AND_REDUCE(no_op)
WEIGHT_AND_REDUCE(contiguous)
WEIGHT_AND_REDUCE(naive_batched_reduce)

#undef PREPARE_FINALIZE
#undef EXPERTS
#undef WEIGHTS
#undef WEIGHT_AND_REDUCE

namespace {

constexpr auto kStandard = Format::Standard;
constexpr auto kBatched = Format::BatchedExperts;

constexpr std::array kPrepareFinalize{
    PrepareAndFinalize{.name = "none",
                       .like = "MoEPrepareAndFinalizeNoEP",
                       .activation_format = kStandard,
                       .reduction = Reduction::Layer,
                       .delegate = "contiguous",
                       .prepare = none::prepare,
                       .finalize = none::finalize},
    PrepareAndFinalize{.name = "all_gather_reduce_scatter",
                       .like = "AgRsAll2AllManager",
                       .activation_format = kStandard,
                       .reduction = Reduction::Finalize,
                       .delegate = "contiguous",
                       .prepare = all_gather::prepare,
                       .finalize = all_gather::finalize},
    PrepareAndFinalize{.name = "quantised_all_gather",
                       .like = "FlashInferCutlassMoEPrepareAndFinalize",
                       .activation_format = kStandard,
                       .reduction = Reduction::Finalize,
                       .delegate = "contiguous",
                       .dispatches = Quantisation::Fp8Token,
                       .prepare = quantised_all_gather::prepare,
                       .finalize = quantised_all_gather::finalize},
    PrepareAndFinalize{.name = "naive_broadcast",
                       .like = "NaiveAll2AllManager",
                       .activation_format = kStandard,
                       .reduction = Reduction::Finalize,
                       .delegate = "contiguous",
                       .prepare = naive_broadcast::prepare,
                       .finalize = naive_broadcast::finalize},
    PrepareAndFinalize{.name = "all_to_all_contiguous",
                       .like = "DeepEPHTPrepareAndFinalize",
                       .activation_format = kStandard,
                       .topk_indices = IdsType::Int32,
                       .reduction = Reduction::Finalize,
                       .delegate = "contiguous",
                       .needs_contiguous_experts = true,
                       .prepare = all_to_all_contiguous::prepare,
                       .finalize = all_to_all_contiguous::finalize},
    PrepareAndFinalize{.name = "all_to_all_batched",
                       .like = "DeepEPLLPrepareAndFinalize",
                       .activation_format = kBatched,
                       .topk_indices = IdsType::Int32,
                       .reduction = Reduction::Finalize,
                       .delegate = "no_op",
                       .needs_contiguous_experts = true,
                       .capacity = all_to_all_batched::capacity,
                       .prepare = all_to_all_batched::prepare,
                       .finalize = all_to_all_batched::finalize},
    PrepareAndFinalize{.name = "all_to_all_capped",
                       .like = "PplxPrepareAndFinalize",
                       .activation_format = kBatched,
                       .topk_indices = IdsType::Int32,
                       .reduction = Reduction::Finalize,
                       .delegate = "no_op",
                       .needs_contiguous_experts = true,
                       .capacity = all_to_all_capped::capacity,
                       .prepare = all_to_all_capped::prepare,
                       .finalize = all_to_all_capped::finalize},
    PrepareAndFinalize{.name = "batched",
                       .like = "BatchedPrepareAndFinalize",
                       .activation_format = kBatched,
                       .reduction = Reduction::Layer,
                       .delegate = "naive_batched",
                       .capacity = batched::capacity,
                       .prepare = batched::prepare,
                       .finalize = batched::finalize},
};

/// Root mean square of what rounding does to an element, over the elements' own.
struct CodeErrors {
    double activations = 0;
    double weights = 0;
};

// A step of the last bit is uniform: its error has rms step/√12. e4m3 and bfloat16: steps of 2^-3
// and 2^-7 of the binade, 1/√2 of it at the mean of 1/x². Integers and block formats: the step
// belongs to the largest of those that share it, which of normal numbers is 4 deviations of a
// matrix' row of thousands, 3 of 128 and, of the blocks of 16, 2, rounded up to a power of two.
constexpr double kStep = 0.288675;  // 1/√12
constexpr double kBf16 = 0.0078125 * kStep * 0.7071;
constexpr double kE4m3 = 0.125 * kStep * 0.7071;
constexpr double kInt8 = 4.0 / 127 * kStep;
constexpr double kInt4 = 3.0 / 7 * kStep;
constexpr double kBfp8 = 4.0 / 128 * kStep;
constexpr double kBfp4 = 4.0 / 8 * kStep;

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

constexpr std::array kExperts{
    Experts{.name = "grouped",
            .like = "TritonExperts",
            .activation_format = kStandard,
            .supports_chunking = true,
            .supports_expert_map = true,
            .finalize_weight_and_reduce = "no_op",
            .workspace_shapes = standard_workspaces,
            .apply = grouped::apply},
    Experts{.name = "grouped_permuted",
            .like = "DeepGemmExperts, unquantised",
            .activation_format = kStandard,
            .supports_chunking = true,
            .supports_expert_map = true,
            .finalize_weight_and_reduce = "contiguous",
            .workspace_shapes = grouped_permuted::workspace_shapes,
            .apply = grouped_permuted::apply},
    Experts{.name = "grouped_by_shape",
            .like = "TritonOrDeepGemmExperts",
            .activation_format = kStandard,
            .supports_chunking = true,
            .supports_expert_map = true,
            .finalize_weight_and_reduce = "no_op",
            .workspace_shapes = grouped_by_shape::workspace_shapes,
            .apply = grouped_by_shape::apply},
    Experts{.name = "grouped_bfp8",
            .like = "TritonExperts with weights of 8 bits (bfp8_b)",
            .activation_format = kStandard,
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
            .activation_format = kStandard,
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
            .activation_format = kBatched,
            .quantisation = Quantisation::WeightBfp4,
            .limits = limits_of({.weights = kBfp4}),
            .finalize_weight_and_reduce = "delegate",
            .workspace_shapes = batched_workspaces,
            .load = bfp4::load,
            .apply = batched_masked::apply},
    Experts{.name = "grouped_fp8",
            .like = "CutlassExpertsFP8, per token",
            .activation_format = kStandard,
            .supports_chunking = true,
            .supports_expert_map = true,
            .quantisation = Quantisation::Fp8Token,
            .limits = limits_of({.activations = kE4m3, .weights = kE4m3}),
            .finalize_weight_and_reduce = "no_op",
            .workspace_shapes = standard_workspaces,
            .load = grouped_fp8::load,
            .apply = grouped_fp8::apply},
    Experts{.name = "batched_fp8",
            .like = "CutlassBatchedExpertsFp8, per token",
            .activation_format = kBatched,
            .quantisation = Quantisation::Fp8Token,
            .limits = limits_of({.activations = kE4m3, .weights = kE4m3}),
            .finalize_weight_and_reduce = "delegate",
            .workspace_shapes = batched_workspaces,
            .load = batched_fp8::load,
            .apply = batched_fp8::apply},
    Experts{.name = "grouped_fp8_tensor",
            .like = "CutlassExpertsFP8, per tensor",
            .activation_format = kStandard,
            .supports_chunking = true,
            .supports_expert_map = true,
            .quantisation = Quantisation::Fp8Tensor,
            .limits = limits_of({.activations = kE4m3, .weights = kE4m3}),
            .finalize_weight_and_reduce = "no_op",
            .workspace_shapes = standard_workspaces,
            .load = grouped_fp8_tensor::load,
            .apply = grouped_fp8_tensor::apply},
    Experts{.name = "batched_fp8_tensor",
            .like = "CutlassBatchedExpertsFp8, per tensor",
            .activation_format = kBatched,
            .quantisation = Quantisation::Fp8Tensor,
            .limits = limits_of({.activations = kE4m3, .weights = kE4m3}),
            .finalize_weight_and_reduce = "delegate",
            .workspace_shapes = batched_workspaces,
            .load = batched_fp8_tensor::load,
            .apply = batched_fp8_tensor::apply},
    Experts{.name = "grouped_fp8_block",
            .like = "DeepGemmExperts",
            .activation_format = kStandard,
            .supports_chunking = true,
            .supports_expert_map = true,
            .quantisation = Quantisation::Fp8Block,
            .limits = limits_of({.activations = kE4m3, .weights = kE4m3}),
            .finalize_weight_and_reduce = "no_op",
            .workspace_shapes = standard_workspaces,
            .load = grouped_fp8_block::load,
            .apply = grouped_fp8_block::apply},
    Experts{.name = "batched_fp8_block",
            .like = "BatchedDeepGemmExperts",
            .activation_format = kBatched,
            .quantisation = Quantisation::Fp8Block,
            .limits = limits_of({.activations = kE4m3, .weights = kE4m3}),
            .finalize_weight_and_reduce = "delegate",
            .workspace_shapes = batched_workspaces,
            .load = batched_fp8_block::load,
            .apply = batched_fp8_block::apply},
    Experts{.name = "grouped_int8",
            .like = "TritonExperts, int8_w8a8",
            .activation_format = kStandard,
            .supports_chunking = true,
            .supports_expert_map = true,
            .quantisation = Quantisation::Int8,
            .limits = limits_of({.activations = kInt8, .weights = kInt8}),
            .finalize_weight_and_reduce = "no_op",
            .workspace_shapes = standard_workspaces,
            .load = grouped_int8::load,
            .apply = grouped_int8::apply},
    Experts{.name = "batched_int8",
            .like = "BatchedTritonExperts, int8_w8a8",
            .activation_format = kBatched,
            .quantisation = Quantisation::Int8,
            .limits = limits_of({.activations = kInt8, .weights = kInt8}),
            .finalize_weight_and_reduce = "delegate",
            .workspace_shapes = batched_workspaces,
            .load = batched_int8::load,
            .apply = batched_int8::apply},
    Experts{.name = "grouped_int8_weights",
            .like = "TritonExperts, int8_w8a16",
            .activation_format = kStandard,
            .supports_chunking = true,
            .supports_expert_map = true,
            .quantisation = Quantisation::WeightInt8,
            .limits = limits_of({.weights = kInt8}),
            .finalize_weight_and_reduce = "no_op",
            .workspace_shapes = standard_workspaces,
            .load = grouped_int8_weights::load,
            .apply = grouped_int8_weights::apply},
    Experts{.name = "batched_int8_weights",
            .like = "BatchedTritonExperts, int8_w8a16",
            .activation_format = kBatched,
            .quantisation = Quantisation::WeightInt8,
            .limits = limits_of({.weights = kInt8}),
            .finalize_weight_and_reduce = "delegate",
            .workspace_shapes = batched_workspaces,
            .load = batched_int8_weights::load,
            .apply = batched_int8_weights::apply},
    Experts{.name = "grouped_int4_weights",
            .like = "TritonExperts, int4_w4a16",
            .activation_format = kStandard,
            .supports_chunking = true,
            .supports_expert_map = true,
            .quantisation = Quantisation::WeightInt4,
            .limits = limits_of({.weights = kInt4}),
            .finalize_weight_and_reduce = "no_op",
            .workspace_shapes = standard_workspaces,
            .load = grouped_int4_weights::load,
            .apply = grouped_int4_weights::apply},
    Experts{.name = "batched_int4_weights",
            .like = "BatchedTritonExperts, int4_w4a16",
            .activation_format = kBatched,
            .quantisation = Quantisation::WeightInt4,
            .limits = limits_of({.weights = kInt4}),
            .finalize_weight_and_reduce = "delegate",
            .workspace_shapes = batched_workspaces,
            .load = batched_int4_weights::load,
            .apply = batched_int4_weights::apply},
    Experts{.name = "naive_batched",
            .like = "NaiveBatchedExperts",
            .activation_format = kBatched,
            .finalize_weight_and_reduce = "delegate",
            .workspace_shapes = batched_workspaces,
            .apply = naive_batched::apply},
    Experts{.name = "batched_bmm",
            .like = "the V2 layer's products",
            .activation_format = kBatched,
            .finalize_weight_and_reduce = "delegate",
            .workspace_shapes = batched_workspaces,
            .apply = batched_bmm::apply},
    Experts{.name = "batched_masked",
            .like = "BatchedDeepGemmExperts, unquantised",
            .activation_format = kBatched,
            .finalize_weight_and_reduce = "delegate",
            .workspace_shapes = batched_workspaces,
            .apply = batched_masked::apply},
    Experts{.name = "batched_grouped",
            .like = "BatchedTritonExperts",
            .activation_format = kBatched,
            .finalize_weight_and_reduce = "delegate",
            .workspace_shapes = batched_workspaces,
            .apply = batched_grouped::apply},
};

constexpr std::array kWeightAndReduce{
    WeightAndReduce{"no_op", "the experts have weighed and summed", no_op::apply},
    WeightAndReduce{"contiguous", "choices of a token, in their order, as moe_sum",
                    contiguous::apply},
    WeightAndReduce{"naive_batched", "experts ascending, the sum bfloat16 after each",
                    naive_batched_reduce::apply},
    WeightAndReduce{"delegate", "as the prepare/finalize does it", nullptr},
};

template <class Table>
auto find_in(const Table& table, std::string_view name) -> decltype(table.data()) {
    const auto found = std::ranges::find(table, name, [](const auto& row) { return row.name; });
    return found == table.end() ? nullptr : &*found;
}

}  // namespace

std::span<const PrepareAndFinalize> all_prepare_finalize() {
    return kPrepareFinalize;
}

std::span<const Experts> all_experts() {
    return kExperts;
}

std::span<const WeightAndReduce> all_weight_and_reduce() {
    return kWeightAndReduce;
}

const PrepareAndFinalize* find_prepare_finalize(std::string_view name) {
    return find_in(kPrepareFinalize, name);
}

const Experts* find_experts(std::string_view name) {
    return find_in(kExperts, name);
}

const WeightAndReduce* find_weight_and_reduce(std::string_view name) {
    return find_in(kWeightAndReduce, name);
}

}  // namespace tessera::ops::fused_moe
