// SPDX-License-Identifier: Apache-2.0
// Families of models, one row each: names of keys in config.json with the defaults of the
// transformers class, the rule of the router, and the form of the layers. A new family needs a row
// in families.cpp and a config.json in configs/models.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/model/moe_model.hpp"

namespace tessera::model {

/// Layout of the weights of experts in a file.
enum class ExpertLayout : std::uint8_t {
    OneByOne,            ///< a tensor (out, in) for each expert and each of gate, up and down
    Stacked,             ///< (E, 2·N, H) gate then up, and (E, H, N)
    StackedTransposed,   ///< (E, H, 2·N) gate then up, and (E, N, H)
    StackedInterleaved,  ///< (E, H, 2·N) gate and up alternating, and (E, N, H), with biases
};

/// Names of a layer's tensors in the safetensors files of a model. {} is the number of the layer,
/// * the number of an expert.
struct CheckpointNames {
    std::string_view prefix;  ///< prefix of a layer
    std::string_view router;
    std::string_view correction_bias = {};
    std::string_view router_bias = {};
    ExpertLayout layout = ExpertLayout::OneByOne;
    std::string_view gate = {};  ///< gate and up together if stacked
    std::string_view up = {};
    std::string_view down = {};
    std::string_view gate_bias = {};  ///< bias of gate and up together
    std::string_view down_bias = {};
    std::string_view shared_gate_proj = {};
    std::string_view shared_up_proj = {};
    std::string_view shared_down_proj = {};
    std::string_view shared_gate = {};
};

/// Whether the weights of a token are divided by their sum.
enum class Renormalise : std::uint8_t {
    Always,
    Never,
    ByKeyElseYes,  ///< norm_topk_prob, and yes if it is absent
    ByKeyElseNo,
};

/// Groups of experts and the bias for the choice.
enum class GroupRule : std::uint8_t {
    None,
    ByMethod,        ///< topk_method: greedy, group_limited_greedy or noaux_tc
    WithCorrection,  ///< n_group and topk_group, always with the bias
};

enum class SharedRule : std::uint8_t {
    None,
    Counted,   ///< n_shared_experts of an expert's size
    OwnSize,   ///< one, of shared_expert_intermediate_size, with a gate
    OneExpert  ///< one of an expert's size
};

/// Layers that have no experts.
enum class DenseRule : std::uint8_t {
    None,
    FirstLayers,  ///< first_k_dense_replace and moe_layer_freq
    SparseStep,   ///< mlp_only_layers, and layers between those of decoder_sparse_step
    Interleaved,  ///< layers between those of interleave_moe_layer_step, or outside of moe_layers
};

enum class AttentionRule : std::uint8_t { Grouped, Latent };

enum class QkNorm : std::uint8_t {
    None,
    PerHead,
    Whole,         ///< over the whole projection
    PerHeadByKey,  ///< per head if use_qk_norm
    L2ByKey,       ///< L2 without a weight after the rotation, if use_qk_norm or by default
};

/// Rule by which the projections of attention have a bias.
enum class QkvBias : std::uint8_t { ByKeyElseNo, ByKeyElseYes };

/// Values that the family's configuration class in transformers gives to absent keys.
struct ClassDefaults {
    std::uint32_t groups = 1;          ///< n_group
    std::uint32_t groups_kept = 1;     ///< topk_group
    double scaling_factor = 1;         ///< routed_scaling_factor
    std::uint32_t shared_experts = 0;  ///< n_shared_experts
    std::uint32_t query_rank = 0;      ///< q_lora_rank
    double rope_theta = 10000;
    double norm_epsilon = 1e-6;
    std::uint32_t kv_heads = 0;  ///< num_key_value_heads; 0: as many as heads
};

struct Family {
    std::string_view name;
    std::span<const std::string_view> model_types;
    std::span<const std::string_view> architectures;
    std::string_view experts_key;
    std::string_view intermediate_key;  ///< key of an expert's extent

    Scoring scoring = Scoring::Softmax;
    bool has_scoring_key = false;  ///< scoring_func replaces the scoring
    Renormalise renormalise = Renormalise::Always;
    GroupRule groups = GroupRule::None;
    std::string_view default_method = {};  ///< topk_method of the class
    bool has_router_bias = false;
    bool has_expert_biases = false;
    bool has_swigluoai = false;
    SharedRule shared = SharedRule::None;
    DenseRule dense = DenseRule::None;
    std::uint32_t default_dense_layers = 0;

    ClassDefaults defaults = {};

    AttentionRule attention = AttentionRule::Grouped;
    QkNorm qk_norm = QkNorm::None;
    QkvBias qkv_bias = QkvBias::ByKeyElseNo;
    std::string_view qkv_bias_key = "attention_bias";
    bool has_sinks = false;
    double default_rotary_share = 1;  ///< partial_rotary_factor of the class
    CheckpointNames names = {};
};

[[nodiscard]] std::span<const Family> all_families();

}  // namespace tessera::model
