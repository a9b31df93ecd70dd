// SPDX-License-Identifier: Apache-2.0
// Batched experts of bfloat16: one core, expert by expert (the reference); masked products over the
// whole grid; products over the list of batched_moe_align_block_size.
#include "ops/fused_moe/quantised_experts.hpp"
#include "ops/fused_moe/roles.hpp"

namespace tessera::ops::fused_moe {
namespace {

ExpertOutput apply_masked(const Layer& layer, const Dispatched& tokens, const Settings& schedule,
                          Steps& steps) {
    const std::string& counts = tokens.expert_num_tokens;
    const CodedRows a = coded_tokens(layer, tokens, {counts}, steps);
    const std::string first =
        steps.add_in(kWorkspace13, "masked_mm", "gate_up",
                     product_inputs(layer, Projection::GateUp, {a.codes, layer.w1, counts}, a),
                     product_settings(layer, Projection::GateUp, tokens, schedule));
    const std::string activated = add_activation(layer, {first, counts}, "batches", steps);
    const CodedRows between = coded_rows(layer, Projection::Down, activated, {counts}, steps);
    return {.tensor = steps.add_in(
                kOutput, "masked_mm", "batched_expert_out",
                product_inputs(layer, Projection::Down, {between.codes, layer.w2, counts}, between),
                product_settings(layer, Projection::Down, tokens, schedule)),
            .rows = tokens.rows};
}

}  // namespace

namespace naive_batched {

ExpertOutput apply(const Layer& layer, const Dispatched& tokens, Steps& steps) {
    // On one core, expert by expert: the order in which the reference of this format computes.
    return apply_masked(layer, tokens, {{"grid", "[1, 1]"}}, steps);
}

}  // namespace naive_batched

namespace batched_masked {

ExpertOutput apply(const Layer& layer, const Dispatched& tokens, Steps& steps) {
    return apply_masked(layer, tokens, {}, steps);
}

}  // namespace batched_masked

namespace batched_grouped {

ExpertOutput apply(const Layer& layer, const Dispatched& tokens, Steps& steps) {
    const Settings product{{"block_size", std::to_string(layer.block_size)}};
    // The list turns batches into blocks of rows, so that cores share experts with many tokens.
    const std::string sorted = steps.add(
        "batched_moe_align_block_size",
        {"sorted_token_ids", "expert_ids", "num_tokens_post_padded"}, {tokens.expert_num_tokens},
        {{"max_tokens_per_batch", std::to_string(tokens.capacity)},
         {"block_size", std::to_string(layer.block_size)}});
    const std::string experts = steps.tensor("expert_ids");
    const std::string end = steps.tensor("num_tokens_post_padded");
    const CountedTensor counted{tokens.expert_num_tokens};
    const CodedRows a = coded_tokens(layer, tokens, counted, steps);
    const std::string first = steps.add_in(
        kWorkspace13, "grouped_mm", "gate_up",
        product_inputs(layer, Projection::GateUp, {a.codes, layer.w1, sorted, experts, end, ""}, a),
        product_settings(layer, Projection::GateUp, tokens, product));
    const std::string activated =
        add_activation(layer, {first, tokens.expert_num_tokens}, "batches", steps);
    const CodedRows between = coded_rows(layer, Projection::Down, activated, counted, steps);
    return {.tensor = steps.add_in(
                kOutput, "grouped_mm", "batched_expert_out",
                product_inputs(layer, Projection::Down,
                               {between.codes, layer.w2, sorted, experts, end, ""}, between),
                product_settings(layer, Projection::Down, tokens, product)),
            .rows = tokens.rows};
}

}  // namespace batched_grouped

namespace batched_by_shape {

// vLLM's BatchedTritonOrDeepGemmExperts chooses by the same condition. Masked products take whole
// tiles of 32 rows of each expert and need no list; a list of small blocks pays where experts get
// few rows.
ExpertOutput apply(const Layer& layer, const Dispatched& tokens, Steps& steps) {
    return layer.fills_blocks(layer.tokens) ? batched_masked::apply(layer, tokens, steps)
                                            : batched_grouped::apply(layer, tokens, steps);
}

}  // namespace batched_by_shape
}  // namespace tessera::ops::fused_moe
