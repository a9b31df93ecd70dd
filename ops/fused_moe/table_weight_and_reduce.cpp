// SPDX-License-Identifier: Apache-2.0
// The ways to weigh and sum the choices of a token, a row each.
#include <array>

#include "ops/fused_moe/find_row.hpp"
#include "ops/fused_moe/roles.hpp"

namespace tessera::ops::fused_moe {

#define WEIGHT_AND_REDUCE(name)                                                                 \
    namespace name {                                                                            \
    std::string apply(const Layer& layer, const Dispatched& tokens, const ExpertOutput& output, \
                      Steps& steps);                                                            \
    }

WEIGHT_AND_REDUCE(no_op)
WEIGHT_AND_REDUCE(contiguous)
WEIGHT_AND_REDUCE(naive_batched_reduce)

#undef WEIGHT_AND_REDUCE

namespace {

constexpr std::array kWeightAndReduce{
    WeightAndReduce{"no_op", "the experts have weighed and summed", no_op::apply},
    WeightAndReduce{"contiguous", "choices of a token, in their order, as moe_sum",
                    contiguous::apply},
    WeightAndReduce{"naive_batched", "experts ascending, the sum bfloat16 after each",
                    naive_batched_reduce::apply},
    WeightAndReduce{"delegate", "as the prepare/finalize does it", nullptr},
};

}  // namespace

std::span<const WeightAndReduce> all_weight_and_reduce() {
    return kWeightAndReduce;
}

const WeightAndReduce* find_weight_and_reduce(std::string_view name) {
    return find_row(kWeightAndReduce, name);
}

}  // namespace tessera::ops::fused_moe
