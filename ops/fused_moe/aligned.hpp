// SPDX-License-Identifier: Apache-2.0
// The list of blocks that experts of the Standard format work along.
#pragma once

#include "ops/fused_moe/roles.hpp"

namespace tessera::ops::fused_moe {

/// Names of what moe_align_block_size leaves.
struct Aligned {
    std::string sorted;
    std::string experts;
    std::string end;
    std::string rows;
};

/// Adds its step: choices of other devices' experts are left out.
[[nodiscard]] inline Aligned aligned(const Layer& layer, const Dispatched& tokens, Steps& steps) {
    std::vector<std::string> inputs{tokens.ids, layer.expert_map};
    if (!tokens.num_tokens.empty()) {
        inputs.push_back(tokens.num_tokens);
    }
    steps.add("moe_align_block_size",
              std::vector<std::string>{"sorted_token_ids", "expert_ids", "num_tokens_post_padded",
                                       "rows"},
              std::move(inputs),
              {{"block_size", std::to_string(layer.block_size)},
               {"num_experts", std::to_string(layer.experts)},
               {"ignore_invalid_experts", "true"}});
    return {steps.tensor("sorted_token_ids"), steps.tensor("expert_ids"),
            steps.tensor("num_tokens_post_padded"), steps.tensor("rows")};
}

}  // namespace tessera::ops::fused_moe
