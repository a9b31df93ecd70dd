// SPDX-License-Identifier: Apache-2.0
// The ways to dispatch tokens to experts and to bring results back, a row each. To add one: a file
// with its functions in a namespace of its own, its declaration and its row here.
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

#undef PREPARE_FINALIZE

namespace {

constexpr std::array kPrepareFinalize{
    PrepareAndFinalize{.name = "none",
                       .like = "MoEPrepareAndFinalizeNoEP",
                       .activation_format = Format::Standard,
                       .reduction = Reduction::Layer,
                       .delegate = "contiguous",
                       .prepare = none::prepare,
                       .finalize = none::finalize},
    PrepareAndFinalize{.name = "all_gather_reduce_scatter",
                       .like = "AgRsAll2AllManager",
                       .activation_format = Format::Standard,
                       .reduction = Reduction::Finalize,
                       .delegate = "contiguous",
                       .prepare = all_gather::prepare,
                       .finalize = all_gather::finalize},
    PrepareAndFinalize{.name = "quantised_all_gather",
                       .like = "FlashInferCutlassMoEPrepareAndFinalize",
                       .activation_format = Format::Standard,
                       .reduction = Reduction::Finalize,
                       .delegate = "contiguous",
                       .dispatches = Quantisation::Fp8Token,
                       .prepare = quantised_all_gather::prepare,
                       .finalize = quantised_all_gather::finalize},
    PrepareAndFinalize{.name = "naive_broadcast",
                       .like = "NaiveAll2AllManager",
                       .activation_format = Format::Standard,
                       .reduction = Reduction::Finalize,
                       .delegate = "contiguous",
                       .prepare = naive_broadcast::prepare,
                       .finalize = naive_broadcast::finalize},
    PrepareAndFinalize{.name = "all_to_all_contiguous",
                       .like = "DeepEPHTPrepareAndFinalize",
                       .activation_format = Format::Standard,
                       .topk_indices = IdsType::Int32,
                       .reduction = Reduction::Finalize,
                       .delegate = "contiguous",
                       .needs_contiguous_experts = true,
                       .prepare = all_to_all_contiguous::prepare,
                       .finalize = all_to_all_contiguous::finalize},
    PrepareAndFinalize{.name = "all_to_all_batched",
                       .like = "DeepEPLLPrepareAndFinalize",
                       .activation_format = Format::BatchedExperts,
                       .topk_indices = IdsType::Int32,
                       .reduction = Reduction::Finalize,
                       .delegate = "no_op",
                       .needs_contiguous_experts = true,
                       .capacity = all_to_all_batched::capacity,
                       .prepare = all_to_all_batched::prepare,
                       .finalize = all_to_all_batched::finalize},
    PrepareAndFinalize{.name = "all_to_all_capped",
                       .like = "PplxPrepareAndFinalize",
                       .activation_format = Format::BatchedExperts,
                       .topk_indices = IdsType::Int32,
                       .reduction = Reduction::Finalize,
                       .delegate = "no_op",
                       .needs_contiguous_experts = true,
                       .capacity = all_to_all_capped::capacity,
                       .prepare = all_to_all_capped::prepare,
                       .finalize = all_to_all_capped::finalize},
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
