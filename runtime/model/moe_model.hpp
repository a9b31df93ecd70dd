// SPDX-License-Identifier: Apache-2.0
// The numbers of a model with a mixture of experts that its layers follow from.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/model/published_weights.hpp"

namespace tessera::model {

struct Family;

/// Conversion of the router's logits to the weights of the chosen experts.
enum class Scoring : std::uint8_t {
    Softmax,          ///< over all experts
    SoftmaxOfChosen,  ///< over the logits of the chosen experts
    Sigmoid,
    SigmoidOnInput,  ///< sigmoid of the logit, which weighs the input of the expert
};

enum class ExpertActivation : std::uint8_t { Silu, SwigluOai };

struct RouterNumbers {
    Scoring scoring = Scoring::Softmax;
    bool renormalises = true;  ///< weights of a token are divided by their sum
    double scaling_factor = 1;
    std::uint32_t groups = 1;
    std::uint32_t groups_kept = 1;
    bool has_correction_bias = false;  ///< added to the scores for the choice only
    bool has_linear_bias = false;      ///< added to the logits
};

struct SharedExperts {
    std::uint32_t count = 0;
    std::uint32_t intermediate = 0;  ///< extent of all together
    bool has_gate = false;           ///< sigmoid(token · gate) weighs them
};

/// Scaling of the rotation's frequencies for contexts longer than those of the training.
struct YarnNumbers {
    double factor = 1;  ///< 1: no scaling
    double beta_fast = 32;
    double beta_slow = 1;
    std::uint32_t original_positions = 0;
    bool truncates = true;
    double attention_factor = 1;  ///< of cosines and sines; of latent attention
};

/// Sizes that latent attention has besides.
struct LatentNumbers {
    std::uint32_t query = 0;  ///< latent of the queries; 0: they are projected directly
    std::uint32_t key_value = 0;
    std::uint32_t unrotated = 0;  ///< elements of a head without a position
    bool has_indexer = false;     ///< DeepSeek-V3.2: attends to some positions only
};

struct AttentionNumbers {
    std::string form;  ///< "gqa", "mla"
    LatentNumbers latent;
    std::uint32_t q_heads = 0;
    std::uint32_t kv_heads = 0;  ///< 1 for latents, which all heads share
    std::uint32_t qk_head_dim = 0;
    std::uint32_t v_head_dim = 0;
    std::uint32_t rotary_dim = 0;
    std::uint32_t cached_elements = 0;  ///< elements per token in one layer
    std::string qk_norm;
    bool has_qkv_bias = false;
    bool has_sinks = false;
    std::string sliding_window;  ///< empty: none
    std::uint32_t window = 0;    ///< positions that a token attends to; 0: all
    double softmax_scale = 1;
    std::string softmax_scale_rule;
    double rope_theta = 10000;
    YarnNumbers yarn;
    double norm_epsilon = 1e-6;
};

struct MoeModel {
    const Family* family = nullptr;
    std::uint32_t hidden = 0;
    std::uint32_t experts = 0;
    std::uint32_t top_k = 0;
    std::uint32_t intermediate = 0;  ///< extent of an expert
    std::uint32_t layers = 0;
    std::vector<std::uint32_t> moe_layers;  ///< their numbers, from 0
    bool has_expert_biases = false;
    ExpertActivation activation = ExpertActivation::Silu;
    double activation_limit = 0;  ///< limit of SwigluOai
    RouterNumbers router;
    SharedExperts shared;
    AttentionNumbers attention;
    PublishedWeights published;
};

/// Returns the number of experts on each of `devices`; the first devices have one more if the
/// number does not divide.
[[nodiscard]] std::vector<std::uint32_t> experts_on(const MoeModel& model, std::uint32_t devices);

/// Returns the bytes of one routed expert in bfloat16.
[[nodiscard]] std::uint64_t expert_bytes(const MoeModel& model);

/// Returns the bytes of one MoE layer's weights on the device with the most experts: its experts,
/// the whole router and all shared experts. Experts have codes and scales of `quantisation`, a
/// value of params.quantisation; the other weights are bfloat16.
[[nodiscard]] std::uint64_t layer_bytes(const MoeModel& model, std::uint32_t devices,
                                        std::string_view quantisation = kUnquantised);

/// Returns the smallest number of devices whose layer_bytes() are at most `dram` each; nothing if
/// one expert per device is too much.
[[nodiscard]] std::optional<std::uint32_t> devices_that_hold(
    const MoeModel& model, std::uint64_t dram, std::string_view quantisation = kUnquantised);

/// Returns the values by name, with those that depend on the number of devices.
[[nodiscard]] nlohmann::ordered_json to_json(const MoeModel& model, std::uint32_t devices);

}  // namespace tessera::model
