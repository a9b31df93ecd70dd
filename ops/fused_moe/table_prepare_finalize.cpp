// SPDX-License-Identifier: Apache-2.0
// The ways to dispatch tokens to experts and to bring results back, a row each. To add one: a file
// with its functions in a namespace of its own, its declaration and its row here. A row that sends
// codes has the functions of the one that sends bfloat16.
#include <array>

#include "ops/fused_moe/find_row.hpp"
#include "ops/fused_moe/roles.hpp"

namespace tessera::ops::fused_moe {

#define PREPARE_FINALIZE(name)                                                          \
    namespace name {                                                                    \
    Dispatched prepare(const Layer& layer, Steps& steps);                               \
    std::string finalize(const Layer& layer, const std::string& partial, Steps& steps); \
    }

PREPARE_FINALIZE(none)
PREPARE_FINALIZE(naive_broadcast)
PREPARE_FINALIZE(all_gather)
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

#undef PREPARE_FINALIZE

namespace {

/// Returns the row that sends codes the way in which `row` sends bfloat16.
constexpr PrepareAndFinalize quantised(PrepareAndFinalize row, std::string_view name,
                                       std::string_view like, std::string_view backend = {}) {
    row.name = name;
    row.like = like;
    row.backend = backend;
    row.sends_codes = true;
    return row;
}

constexpr PrepareAndFinalize kAllGather{.name = "all_gather_reduce_scatter",
                                        .like = "AgRsAll2AllManager",
                                        .backend = "allgather_reducescatter",
                                        .activation_format = Format::Standard,
                                        .reduction = Reduction::Finalize,
                                        .delegate = "contiguous",
                                        .prepare = all_gather::prepare,
                                        .finalize = all_gather::finalize};
constexpr PrepareAndFinalize kContiguous{.name = "all_to_all_contiguous",
                                         .like = "DeepEPHTPrepareAndFinalize",
                                         .backend = "deepep_high_throughput",
                                         .activation_format = Format::Standard,
                                         .topk_indices = IdsType::Int32,
                                         .reduction = Reduction::Finalize,
                                         .delegate = "contiguous",
                                         .needs_contiguous_experts = true,
                                         .prepare = all_to_all_contiguous::prepare,
                                         .finalize = all_to_all_contiguous::finalize};
constexpr PrepareAndFinalize kBatches{.name = "all_to_all_batched",
                                      .like = "DeepEPLLPrepareAndFinalize",
                                      .backend = "deepep_low_latency",
                                      .activation_format = Format::BatchedExperts,
                                      .topk_indices = IdsType::Int32,
                                      .reduction = Reduction::Finalize,
                                      .delegate = "no_op",
                                      .needs_contiguous_experts = true,
                                      .capacity = all_to_all_batched::capacity,
                                      .prepare = all_to_all_batched::prepare,
                                      .finalize = all_to_all_batched::finalize};
constexpr PrepareAndFinalize kCapped{.name = "all_to_all_capped",
                                     .like = "PplxPrepareAndFinalize",
                                     .backend = "pplx",
                                     .activation_format = Format::BatchedExperts,
                                     .topk_indices = IdsType::Int32,
                                     .reduction = Reduction::Finalize,
                                     .delegate = "no_op",
                                     .needs_contiguous_experts = true,
                                     .capacity = all_to_all_capped::capacity,
                                     .prepare = all_to_all_capped::prepare,
                                     .finalize = all_to_all_capped::finalize};

constexpr std::array kPrepareFinalize{
    PrepareAndFinalize{.name = "none",
                       .like = "MoEPrepareAndFinalizeNoEP",
                       .activation_format = Format::Standard,
                       .reduction = Reduction::Layer,
                       .delegate = "contiguous",
                       .prepare = none::prepare,
                       .finalize = none::finalize},
    kAllGather,
    quantised(kAllGather, "quantised_all_gather", "FlashInferCutlassMoEPrepareAndFinalize"),
    PrepareAndFinalize{.name = "naive_broadcast",
                       .like = "NaiveAll2AllManager",
                       .backend = "naive",
                       .activation_format = Format::Standard,
                       .reduction = Reduction::Finalize,
                       .delegate = "contiguous",
                       .prepare = naive_broadcast::prepare,
                       .finalize = naive_broadcast::finalize},
    kContiguous,
    quantised(kContiguous, "quantised_all_to_all", "FlashInferAllToAllMoEPrepareAndFinalize",
              "flashinfer_all2allv"),
    kBatches,
    quantised(kBatches, "quantised_all_to_all_batched", "DeepEPLLPrepareAndFinalize, fp8 dispatch"),
    kCapped,
    quantised(kCapped, "quantised_all_to_all_capped", "PplxPrepareAndFinalize, quantised"),
    PrepareAndFinalize{.name = "batched",
                       .like = "BatchedPrepareAndFinalize",
                       .activation_format = Format::BatchedExperts,
                       .reduction = Reduction::Layer,
                       .delegate = "naive_batched",
                       .capacity = batched::capacity,
                       .prepare = batched::prepare,
                       .finalize = batched::finalize},
};

}  // namespace

std::span<const PrepareAndFinalize> all_prepare_finalize() {
    return kPrepareFinalize;
}

const PrepareAndFinalize* find_prepare_finalize(std::string_view name) {
    return find_row(kPrepareFinalize, name);
}

}  // namespace tessera::ops::fused_moe
