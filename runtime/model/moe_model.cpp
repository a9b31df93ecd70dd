// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/moe_model.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "ops/fused_moe/weight_formats.hpp"
#include "runtime/model/families.hpp"

namespace tessera::model {
namespace {

using nlohmann::ordered_json;

constexpr std::uint64_t kBf16Bytes = 2;

const char* words_of(Scoring scoring) {
    switch (scoring) {
        case Scoring::Softmax:
            return "softmax";
        case Scoring::SoftmaxOfChosen:
            return "softmax over the chosen logits";
        case Scoring::Sigmoid:
            return "sigmoid";
        case Scoring::SigmoidOnInput:
            return "sigmoid of the logit, applied to the input";
    }
    return "?";
}

std::string words_of_activation(const MoeModel& model) {
    switch (model.activation) {
        case ExpertActivation::Silu:
            return "silu";
        case ExpertActivation::SwigluOai:
            return fmt::format("swigluoai (interleaved, alpha 1.702, limit {:g})",
                               model.activation_limit);
    }
    return "?";
}

void add_router(const RouterNumbers& router, ordered_json& json) {
    json["scoring"] = words_of(router.scoring);
    json["score_correction_bias"] = router.has_correction_bias;
    json["renormalise"] = router.renormalises;
    json["routed_scaling_factor"] = router.scaling_factor;
    json["groups"] = router.groups;
    json["groups_kept"] = router.groups_kept;
    json["router_bias"] = router.has_linear_bias;
}

void add_attention(const AttentionNumbers& attention, ordered_json& json) {
    json["attention"] = attention.form;
    json["q_heads"] = attention.q_heads;
    json["kv_heads"] = attention.kv_heads;
    json["qk_head_dim"] = attention.qk_head_dim;
    json["v_head_dim"] = attention.v_head_dim;
    json["rotary_dim"] = attention.rotary_dim;
    json["kv_cache_bf16_bytes_per_token_and_layer"] = attention.cached_elements * kBf16Bytes;
    json["qk_norm"] = attention.qk_norm;
    json["qkv_bias"] = attention.has_qkv_bias;
    json["sinks"] = attention.has_sinks;
    json["sliding_window"] =
        attention.sliding_window.empty() ? ordered_json() : ordered_json(attention.sliding_window);
    json["softmax_scale"] = attention.softmax_scale;
    json["softmax_scale_rule"] = attention.softmax_scale_rule;
}

}  // namespace

std::vector<std::uint32_t> experts_on(const MoeModel& model, std::uint32_t devices) {
    std::vector<std::uint32_t> counts(devices, model.experts / devices);
    for (std::uint32_t device = 0; device < model.experts % devices; ++device) {
        ++counts[device];
    }
    return counts;
}

namespace {

/// Bytes of gate, up and down.
std::uint64_t mlp_bytes(const MoeModel& model, std::uint32_t intermediate) {
    constexpr std::uint64_t kMatrices = 3;
    return kMatrices * model.hidden * intermediate * kBf16Bytes;
}

/// Bytes of one expert's matrix of `rows` rows of `columns` numbers.
std::uint64_t coded_bytes(const ops::fused_moe::WeightFormat& format, std::uint32_t rows,
                          std::uint32_t columns) {
    const Shape codes{1, rows, columns / format.codes_a_byte};
    const auto scales = ops::fused_moe::scale_shapes(format, codes, 1);
    const std::uint64_t bytes = TensorSpec{codes, format.codes, Layout::TILE}.num_bytes();
    // Scales in groups of 128 represent those of other groups: 64 columns need 3 % more bytes.
    return bytes + (scales.empty()
                        ? 0
                        : TensorSpec{scales.front(), format.scales, Layout::ROW_MAJOR}.num_bytes());
}

}  // namespace

std::uint64_t expert_bytes(const MoeModel& model) {
    return mlp_bytes(model, model.intermediate);
}

namespace {

std::uint64_t stored_expert_bytes(const MoeModel& model, std::string_view quantisation) {
    const auto* format = ops::fused_moe::find_weight_format(quantisation);
    // A word that the run file does not know is refused there.
    return format == nullptr || format->is_bfloat16()
               ? expert_bytes(model)
               : coded_bytes(*format, 2 * model.intermediate, model.hidden) +
                     coded_bytes(*format, model.hidden, model.intermediate);
}

}  // namespace

std::uint64_t layer_bytes(const MoeModel& model, std::uint32_t devices,
                          std::string_view quantisation) {
    const std::uint64_t router = std::uint64_t{model.experts} * model.hidden * kBf16Bytes;
    return experts_on(model, devices).front() * stored_expert_bytes(model, quantisation) + router +
           mlp_bytes(model, model.shared.intermediate);
}

std::optional<std::uint32_t> devices_that_hold(const MoeModel& model, std::uint64_t dram,
                                               std::string_view quantisation) {
    for (std::uint32_t devices = 1; devices <= model.experts; ++devices) {
        if (layer_bytes(model, devices, quantisation) <= dram) {
            return devices;
        }
    }
    return std::nullopt;
}

ordered_json to_json(const MoeModel& model, std::uint32_t devices) {
    ordered_json json;
    json["family"] = model.family->name;
    json["hidden"] = model.hidden;
    json["routed_experts"] = model.experts;
    json["top_k"] = model.top_k;
    json["expert_intermediate"] = model.intermediate;
    json["moe_layers"] = model.moe_layers.size();
    json["dense_layers"] = model.layers - model.moe_layers.size();
    json["devices"] = devices;
    const auto counts = experts_on(model, devices);
    json["experts_per_device"] = counts;
    json["bf16_expert_bytes_of_largest_device"] = counts.front() * expert_bytes(model);
    json["shared_experts"] = model.shared.count;
    json["shared_intermediate"] = model.shared.intermediate;
    json["shared_expert_gate"] = model.shared.has_gate;
    add_router(model.router, json);
    json["quantisation"] = model.published.quantisation;
    json["expert_biases"] = model.has_expert_biases;
    json["activation"] = words_of_activation(model);
    add_attention(model.attention, json);
    return json;
}

}  // namespace tessera::model
