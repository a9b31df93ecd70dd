// SPDX-License-Identifier: Apache-2.0
// How choices are weighed and summed, after the experts.
#include "ops/fused_moe/roles.hpp"

namespace tessera::ops::fused_moe {
namespace {

/// Returns the inputs of moe_sum: without weights if they went into the activations, since weighing
/// again would square them.
std::vector<std::string> sum_inputs(const Layer& layer, const Dispatched& tokens,
                                    const ExpertOutput& output) {
    std::vector<std::string> inputs{output.tensor, output.rows};
    if (!layer.apply_router_weight_on_input) {
        inputs.push_back(tokens.weights);
    }
    return inputs;
}

}  // namespace

namespace no_op {

// Returns the experts' tensor, which is the sum already.
std::string apply(const Layer& /*layer*/, const Dispatched& /*tokens*/, const ExpertOutput& output,
                  Steps& /*steps*/) {
    return output.tensor;
}

}  // namespace no_op

namespace contiguous {

// By choice: each choice of a token has a row of its own, or none.
std::string apply(const Layer& layer, const Dispatched& tokens, const ExpertOutput& output,
                  Steps& steps) {
    return steps.add("moe_sum", "reduced", sum_inputs(layer, tokens, output),
                     {{"rows", "presence"}});
}

}  // namespace contiguous

namespace naive_batched_reduce {

// Like vLLM's NaiveBatchedExperts: the running sum is bfloat16 after each expert, in the order of
// the experts.
std::string apply(const Layer& layer, const Dispatched& tokens, const ExpertOutput& output,
                  Steps& steps) {
    return steps.add("moe_sum", "reduced", sum_inputs(layer, tokens, output),
                     {{"accumulator", "bf16"}, {"order", "row"}});
}

}  // namespace naive_batched_reduce
}  // namespace tessera::ops::fused_moe
