// SPDX-License-Identifier: Apache-2.0
// Chooses each token's experts from the router's logits, and the weights that they get.
#pragma once

#include <array>

#include "emu/base/fields/enum_names.hpp"
#include "ops/moe_select_experts/kernels/args.hpp"
#include "ops/op.hpp"
#include "tessera/arch_spec.hpp"

namespace tessera::ops {

struct SelectExpertsSpec {
    RouterScoring scoring = RouterScoring::Sigmoid;
    std::uint32_t n_group = 1;     ///< groups of neighbouring experts
    std::uint32_t topk_group = 1;  ///< groups that a token may choose from
    std::uint32_t top_k = 1;
    bool normalise = true;             ///< weights of a token sum to the scaling factor
    double routed_scaling_factor = 1;  ///< factor of all normalised weights
    GridSize grid;                     ///< cores to spread over; 0×0: all that the device offers
};

}  // namespace tessera::ops

namespace tessera::config {

template <>
inline constexpr std::array kEnumNames<ops::RouterScoring>{
    EnumName<ops::RouterScoring>{"sigmoid", ops::RouterScoring::Sigmoid},
    EnumName<ops::RouterScoring>{"softmax", ops::RouterScoring::Softmax},
    EnumName<ops::RouterScoring>{"none", ops::RouterScoring::None},
    EnumName<ops::RouterScoring>{"topk_softmax", ops::RouterScoring::TopkSoftmax},
    EnumName<ops::RouterScoring>{"llama4", ops::RouterScoring::Llama4},
};

}  // namespace tessera::config

namespace tessera::ops::moe_select_experts {

inline constexpr std::array<std::string_view, 5> kSchedules{"sigmoid", "softmax", "none",
                                                            "topk_softmax", "llama4"};
inline constexpr std::array kInputs{
    Operand{.name = "router_logits",
            .shape = "(T, E)",
            .format = "float32 | bfloat16",
            .layout = "ROW_MAJOR",
            .steers = Steers::Yes},
    Operand{.name = "bias",
            .shape = "(E)",
            .format = "float32 | bfloat16",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional,
            .steers = Steers::Yes},
};
inline constexpr std::array kOutputs{
    Operand{"topk_ids", "(T, K)", "int32", "ROW_MAJOR"},
    Operand{"topk_weights", "(T, K)", "float32", "ROW_MAJOR"},
    Operand{"topk_weights_bf16", "(T, K)", "bfloat16", "ROW_MAJOR"},
    Operand{.name = "selected_groups",
            .shape = "(T, G)",
            .format = "int32",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
    Operand{.name = "group_scores",
            .shape = "(T, N)",
            .format = "float32",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
    Operand{.name = "scores",
            .shape = "(T, E)",
            .format = "float32",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
    Operand{.name = "scores_for_choice",
            .shape = "(T, E)",
            .format = "float32",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
};

/// Positions of operands by their names: "router_logits"_in.
consteval std::size_t operator""_in(const char* name, std::size_t /*size*/) {
    return place_of(kInputs, name);
}
consteval std::size_t operator""_out(const char* name, std::size_t /*size*/) {
    return place_of(kOutputs, name);
}
/// Scores are fp32 within two ulps and the bf16 weights are rounded once. Ids and groups are exact.
inline constexpr OpSpec kSpec{
    .name = "moe_select_experts",
    .summary = "each token's experts and their weights, from the router's logits",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = {.max_relative_error = 0.004, .min_pcc = 0.99999},
};

/// Returns the op, for the registry. Tokens are distributed over the cores in contiguous ranges,
/// and over both data-movement kernels of a core, which process them in scalar fp32.
///
/// score(e)      sigmoid(logit), softmax over all experts, or the logit (none, topk_softmax,
///               llama4)
/// choice(e)     score + bias, which selects only; weights come from the score
/// group score   sum of the two best choices of a group with a bias (DeepSeek-V3), the best one
///               without (DeepSeek-V2); experts of groups that are not selected are −inf
/// weights       score; with topk_softmax the softmax over the selected logits (gpt-oss, Granite),
///               with llama4 the sigmoid of each selected logit, which that model multiplies with
///               the expert's input. Divided by (sum of the selected + 1e-20) if normalised (with
///               topk_softmax always), times the scaling factor
/// For equal scores the lower index takes precedence, for groups and for experts. Rows are in
/// descending order of choice. NaN counts as −inf.
/// Source   DeepSeek-V3 inference/model.py class Gate; TRT-LLM RoutingKernelTopK (ties).
[[nodiscard]] const Op& op();

/// Returns the expected outputs in their order, computed in double independently of the kernel;
/// floats are float32.
[[nodiscard]] std::vector<HostTensor> reference(const HostTensor& logits, const HostTensor* bias,
                                                const SelectExpertsSpec& spec);

}  // namespace tessera::ops::moe_select_experts
