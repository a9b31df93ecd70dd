// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/moe_model.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

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

}  // namespace

std::uint64_t expert_bytes(const MoeModel& model) {
    return mlp_bytes(model, model.intermediate);
}

std::uint64_t layer_bytes(const MoeModel& model, std::uint32_t devices) {
    const std::uint64_t router = std::uint64_t{model.experts} * model.hidden * kBf16Bytes;
    return experts_on(model, devices).front() * expert_bytes(model) + router +
           mlp_bytes(model, model.shared.intermediate);
}

std::optional<std::uint32_t> devices_that_hold(const MoeModel& model, std::uint64_t dram) {
    for (std::uint32_t devices = 1; devices <= model.experts; ++devices) {
        if (layer_bytes(model, devices) <= dram) {
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
    json["expert_biases"] = model.has_expert_biases;
    json["activation"] = words_of_activation(model);
    add_attention(model.attention, json);
    return json;
}

}  // namespace tessera::model
