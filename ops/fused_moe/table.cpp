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
    WorkspaceShapes workspace_shapes(const Layer& layer, const Dispatched& tokens); \
    ExpertOutput apply(const Layer& layer, const Dispatched& tokens, Steps& steps); \
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
EXPERTS(grouped_bfp8)
EXPERTS(grouped_bfp4)
EXPERTS(batched_bfp4)
EXPERTS(grouped_fp8)
EXPERTS(batched_fp8)
WEIGHT_AND_REDUCE(no_op)
WEIGHT_AND_REDUCE(contiguous)
WEIGHT_AND_REDUCE(naive_batched_reduce)

#undef PREPARE_FINALIZE
#undef EXPERTS
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
                       .prepare = all_to_all_contiguous::prepare,
                       .finalize = all_to_all_contiguous::finalize},
    PrepareAndFinalize{.name = "all_to_all_batched",
                       .like = "DeepEPLLPrepareAndFinalize",
                       .activation_format = kBatched,
                       .topk_indices = IdsType::Int32,
                       .reduction = Reduction::Finalize,
                       .delegate = "no_op",
                       .capacity = all_to_all_batched::capacity,
                       .prepare = all_to_all_batched::prepare,
                       .finalize = all_to_all_batched::finalize},
    PrepareAndFinalize{.name = "all_to_all_capped",
                       .like = "PplxPrepareAndFinalize",
                       .activation_format = kBatched,
                       .topk_indices = IdsType::Int32,
                       .reduction = Reduction::Finalize,
                       .delegate = "no_op",
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

constexpr std::array kExperts{
    Experts{.name = "grouped",
            .like = "TritonExperts",
            .activation_format = kStandard,
            .supports_chunking = true,
            .supports_expert_map = true,
            .finalize_weight_and_reduce = "no_op",
            .workspace_shapes = grouped::workspace_shapes,
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
            .like = "TritonExperts, int8 weight-only (bfp8_b here)",
            .activation_format = kStandard,
            .supports_chunking = true,
            .supports_expert_map = true,
            .quantisation = Quantisation::WeightBfp8,
            .tolerance = 0.15,
            .min_pcc = 0.9995,
            .finalize_weight_and_reduce = "no_op",
            .workspace_shapes = grouped_bfp8::workspace_shapes,
            .apply = grouped_bfp8::apply},
    Experts{.name = "grouped_bfp4",
            .like = "CutlassExpertsFP4 (bfp4_b here)",
            .activation_format = kStandard,
            .supports_chunking = true,
            .supports_expert_map = true,
            .quantisation = Quantisation::WeightBfp4,
            .tolerance = 2.0,
            .min_pcc = 0.96,
            .finalize_weight_and_reduce = "no_op",
            .workspace_shapes = grouped_bfp4::workspace_shapes,
            .apply = grouped_bfp4::apply},
    Experts{.name = "batched_bfp4",
            .like = "CutlassExpertsFP4, batched (bfp4_b here)",
            .activation_format = kBatched,
            .quantisation = Quantisation::WeightBfp4,
            .tolerance = 2.0,
            .min_pcc = 0.96,
            .finalize_weight_and_reduce = "delegate",
            .workspace_shapes = batched_bfp4::workspace_shapes,
            .apply = batched_bfp4::apply},
    Experts{.name = "grouped_fp8",
            .like = "CutlassExpertsFP8, per token",
            .activation_format = kStandard,
            .supports_chunking = true,
            .supports_expert_map = true,
            .quantisation = Quantisation::Fp8Token,
            .tolerance = 0.6,
            .min_pcc = 0.996,
            .finalize_weight_and_reduce = "no_op",
            .workspace_shapes = grouped_fp8::workspace_shapes,
            .apply = grouped_fp8::apply},
    Experts{.name = "batched_fp8",
            .like = "CutlassBatchedExpertsFp8, per token",
            .activation_format = kBatched,
            .quantisation = Quantisation::Fp8Token,
            .tolerance = 0.6,
            .min_pcc = 0.996,
            .finalize_weight_and_reduce = "delegate",
            .workspace_shapes = batched_fp8::workspace_shapes,
            .apply = batched_fp8::apply},
    Experts{.name = "naive_batched",
            .like = "NaiveBatchedExperts",
            .activation_format = kBatched,
            .finalize_weight_and_reduce = "delegate",
            .workspace_shapes = naive_batched::workspace_shapes,
            .apply = naive_batched::apply},
    Experts{.name = "batched_bmm",
            .like = "the V2 layer's products",
            .activation_format = kBatched,
            .finalize_weight_and_reduce = "delegate",
            .workspace_shapes = batched_bmm::workspace_shapes,
            .apply = batched_bmm::apply},
    Experts{.name = "batched_masked",
            .like = "BatchedDeepGemmExperts, unquantised",
            .activation_format = kBatched,
            .finalize_weight_and_reduce = "delegate",
            .workspace_shapes = batched_masked::workspace_shapes,
            .apply = batched_masked::apply},
    Experts{.name = "batched_grouped",
            .like = "BatchedTritonExperts",
            .activation_format = kBatched,
            .finalize_weight_and_reduce = "delegate",
            .workspace_shapes = batched_grouped::workspace_shapes,
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
