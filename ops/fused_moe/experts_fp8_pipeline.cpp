// SPDX-License-Identifier: Apache-2.0
// The FP8 block-scale pipeline as experts: tables of a grouped product, a product that gathers its
// token rows and gives fp8, SwiGLU between codes, the second product, and the weighted sum: as
// FlashInferExperts, which calls TRT-LLM's runner.
#include <algorithm>

#include "ops/fused_moe/quantised_experts.hpp"
#include "ops/moe_permutation/moe_permutation.hpp"

namespace tessera::ops::fused_moe::fp8_pipeline {
namespace {

/// Names of outputs of moe_permutation.
struct Tables {
    std::string places;    ///< permuted row of each choice
    std::string tokens;    ///< token of each permuted row
    std::string experts;   ///< of the CTAs
    std::string row_ends;  ///< of the CTAs
    std::string num_ctas;
};

Tables permute(const Layer& layer, const Dispatched& tokens, Steps& steps) {
    std::string ids = tokens.ids;
    // Rows after the last one that arrived hold no ids.
    if (!tokens.num_tokens.empty()) {
        ids = steps.add("slice_rows", "counted_ids", {ids, tokens.num_tokens},
                        {{"rows", std::to_string(tokens.tokens)}, {"fill", kNoExpert}});
    }
    steps.add("moe_permutation",
              std::vector<std::string>{"expert_count_histogram", "expert_count_histogram_local",
                                       "total_num_padded_tokens", "padded_prefix_sum",
                                       "expanded_idx_to_permuted_idx", "permuted_idx_to_token_idx",
                                       "permuted_idx_to_expanded_idx", "cta_idx_xy_to_batch_idx",
                                       "cta_idx_xy_to_mn_limit", "num_non_exiting_ctas"},
              {ids},
              {{"experts", std::to_string(layer.experts)},
               {"local_experts", std::to_string(layer.local_experts)},
               {"tile", std::to_string(layer.block_size)}});
    return {steps.tensor("expanded_idx_to_permuted_idx"), steps.tensor("permuted_idx_to_token_idx"),
            steps.tensor("cta_idx_xy_to_batch_idx"), steps.tensor("cta_idx_xy_to_mn_limit"),
            steps.tensor("num_non_exiting_ctas")};
}

}  // namespace

WorkspaceShapes workspace_shapes(const Layer& layer, const Dispatched& tokens) {
    const std::uint32_t rows =
        layer.block_size * moe_permutation::most_ctas(tokens.tokens, layer.top_k,
                                                      layer.local_experts, layer.block_size);
    return {{rows, std::max(layer.gate_up, layer.hidden)},
            {rows, layer.intermediate},
            {tokens.tokens, layer.hidden}};
}

ExpertOutput apply(const Layer& layer, const Dispatched& tokens, Steps& steps) {
    const std::string tile = std::to_string(layer.block_size);
    const CodedRows a = coded_tokens(layer, tokens, {tokens.num_tokens}, steps);
    // The runner takes scales by block of columns; they come by token.
    const std::string scales = steps.add("gather_columns", "scales_by_block", {a.scales});
    const Tables tables = permute(layer, tokens, steps);
    steps.add_in(kWorkspace13, "fp8_grouped_matmul",
                 std::vector<std::string>{"gate_up", "gate_up_scales"},
                 {a.codes, scales, layer.w1, layer.w1_scales, tables.experts, tables.row_ends,
                  tables.num_ctas, tables.tokens},
                 {{"tile", tile}});
    steps.add_in(
        kWorkspace2, "fp8_swiglu", std::vector<std::string>{"activated", "activated_scales"},
        {steps.tensor("gate_up"), steps.tensor("gate_up_scales"), tables.row_ends, tables.num_ctas},
        {{"tile", tile}, {"gate_half", "first"}});
    const std::string down =
        steps.add_in(kWorkspace13, "fp8_grouped_matmul", "down",
                     {steps.tensor("activated"), steps.tensor("activated_scales"), layer.w2,
                      layer.w2_scales, tables.experts, tables.row_ends, tables.num_ctas},
                     {{"tile", tile}, {"output", "bfloat16"}});
    return {.tensor = steps.add_in(kOutput, "moe_finalize", "reduced",
                                   {down, tables.places, tokens.weights}),
            .rows = {}};
}

}  // namespace tessera::ops::fused_moe::fp8_pipeline
