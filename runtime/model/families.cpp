// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/families.hpp"

#include <array>

namespace tessera::model {
namespace {

using Words = std::array<std::string_view, 1>;

constexpr std::array<std::string_view, 2> kQwen3Types{"qwen3_moe", "qwen3_vl_moe_text"};
constexpr Words kQwen3Classes{"Qwen3MoeForCausalLM"};
constexpr Words kQwen3NextTypes{"qwen3_next"};
constexpr Words kQwen3NextClasses{"Qwen3NextForCausalLM"};
constexpr Words kQwen2Types{"qwen2_moe"};
constexpr Words kQwen2Classes{"Qwen2MoeForCausalLM"};
constexpr Words kMixtralTypes{"mixtral"};
constexpr Words kMixtralClasses{"MixtralForCausalLM"};
constexpr Words kGptOssTypes{"gpt_oss"};
constexpr Words kGptOssClasses{"GptOssForCausalLM"};
constexpr Words kDeepseek2Types{"deepseek_v2"};
constexpr Words kDeepseek2Classes{"DeepseekV2ForCausalLM"};
constexpr std::array<std::string_view, 3> kDeepseek3Types{"deepseek_v3", "deepseek_v32", "kimi_k2"};
constexpr std::array<std::string_view, 2> kDeepseek3Classes{"DeepseekV3ForCausalLM",
                                                            "DeepseekV32ForCausalLM"};
constexpr std::array<std::string_view, 2> kGlmTypes{"glm4_moe", "glm4v_moe_text"};
constexpr Words kGlmClasses{"Glm4MoeForCausalLM"};
constexpr std::array<std::string_view, 2> kLlama4Types{"llama4", "llama4_text"};
constexpr std::array<std::string_view, 2> kLlama4Classes{"Llama4ForConditionalGeneration",
                                                         "Llama4ForCausalLM"};
constexpr Words kOlmoeTypes{"olmoe"};
constexpr Words kOlmoeClasses{"OlmoeForCausalLM"};
constexpr Words kGraniteTypes{"granitemoe"};
constexpr Words kGraniteClasses{"GraniteMoeForCausalLM"};
constexpr Words kGenericTypes{"moe"};

constexpr CheckpointNames kQwenNames{.prefix = "model.layers.{}.mlp.",
                                     .router = "gate.weight",
                                     .gate = "experts.*.gate_proj.weight",
                                     .up = "experts.*.up_proj.weight",
                                     .down = "experts.*.down_proj.weight",
                                     .shared_gate_proj = "shared_expert.gate_proj.weight",
                                     .shared_up_proj = "shared_expert.up_proj.weight",
                                     .shared_down_proj = "shared_expert.down_proj.weight",
                                     .shared_gate = "shared_expert_gate.weight"};
constexpr CheckpointNames kDeepseekNames{.prefix = "model.layers.{}.mlp.",
                                         .router = "gate.weight",
                                         .correction_bias = "gate.e_score_correction_bias",
                                         .gate = "experts.*.gate_proj.weight",
                                         .up = "experts.*.up_proj.weight",
                                         .down = "experts.*.down_proj.weight",
                                         .shared_gate_proj = "shared_experts.gate_proj.weight",
                                         .shared_up_proj = "shared_experts.up_proj.weight",
                                         .shared_down_proj = "shared_experts.down_proj.weight"};
constexpr CheckpointNames kMixtralNames{.prefix = "model.layers.{}.block_sparse_moe.",
                                        .router = "gate.weight",
                                        .gate = "experts.*.w1.weight",
                                        .up = "experts.*.w3.weight",
                                        .down = "experts.*.w2.weight"};
constexpr CheckpointNames kGptOssNames{.prefix = "model.layers.{}.mlp.",
                                       .router = "router.weight",
                                       .router_bias = "router.bias",
                                       .layout = ExpertLayout::StackedInterleaved,
                                       .gate = "experts.gate_up_proj",
                                       .down = "experts.down_proj",
                                       .gate_bias = "experts.gate_up_proj_bias",
                                       .down_bias = "experts.down_proj_bias"};
constexpr CheckpointNames kLlama4Names{.prefix = "language_model.model.layers.{}.feed_forward.",
                                       .router = "router.weight",
                                       .layout = ExpertLayout::StackedTransposed,
                                       .gate = "experts.gate_up_proj",
                                       .down = "experts.down_proj",
                                       .shared_gate_proj = "shared_expert.gate_proj.weight",
                                       .shared_up_proj = "shared_expert.up_proj.weight",
                                       .shared_down_proj = "shared_expert.down_proj.weight"};
constexpr CheckpointNames kGraniteNames{.prefix = "model.layers.{}.block_sparse_moe.",
                                        .router = "router.layer.weight",
                                        .layout = ExpertLayout::Stacked,
                                        .gate = "input_linear.weight",
                                        .down = "output_linear.weight"};

constexpr std::array kFamilies{
    Family{.name = "Qwen3-MoE",
           .model_types = kQwen3Types,
           .architectures = kQwen3Classes,
           .experts_key = "num_experts",
           .intermediate_key = "moe_intermediate_size",
           .renormalise = Renormalise::ByKeyElseNo,
           .dense = DenseRule::SparseStep,
           .defaults = {.kv_heads = 4},
           .qk_norm = QkNorm::PerHead,
           .names = kQwenNames},
    Family{.name = "Qwen3-Next",
           .model_types = kQwen3NextTypes,
           .architectures = kQwen3NextClasses,
           .experts_key = "num_experts",
           .intermediate_key = "moe_intermediate_size",
           .renormalise = Renormalise::ByKeyElseYes,
           .shared = SharedRule::OwnSize,
           .dense = DenseRule::SparseStep,
           .defaults = {.kv_heads = 2},
           .qk_norm = QkNorm::PerHead,
           .default_rotary_share = 0.25,
           .names = kQwenNames},
    Family{.name = "Qwen1.5-MoE",
           .model_types = kQwen2Types,
           .architectures = kQwen2Classes,
           .experts_key = "num_experts",
           .intermediate_key = "moe_intermediate_size",
           .renormalise = Renormalise::ByKeyElseNo,
           .shared = SharedRule::OwnSize,
           .dense = DenseRule::SparseStep,
           .defaults = {.kv_heads = 16},
           .qkv_bias = QkvBias::ByKeyElseYes,
           .qkv_bias_key = "qkv_bias",
           .names = kQwenNames},
    Family{.name = "Mixtral",
           .model_types = kMixtralTypes,
           .architectures = kMixtralClasses,
           .experts_key = "num_local_experts",
           .intermediate_key = "intermediate_size",
           .defaults = {.rope_theta = 1e6, .norm_epsilon = 1e-5, .kv_heads = 8},
           .names = kMixtralNames},
    Family{.name = "gpt-oss",
           .model_types = kGptOssTypes,
           .architectures = kGptOssClasses,
           .experts_key = "num_local_experts",
           .intermediate_key = "intermediate_size",
           .scoring = Scoring::SoftmaxOfChosen,
           .has_router_bias = true,
           .has_expert_biases = true,
           .has_swigluoai = true,
           .defaults = {.rope_theta = 150000, .norm_epsilon = 1e-5, .kv_heads = 8},
           .qkv_bias = QkvBias::ByKeyElseYes,
           .has_sinks = true,
           .names = kGptOssNames},
    Family{.name = "DeepSeek-V2",
           .model_types = kDeepseek2Types,
           .architectures = kDeepseek2Classes,
           .experts_key = "n_routed_experts",
           .intermediate_key = "moe_intermediate_size",
           .has_scoring_key = true,
           .renormalise = Renormalise::ByKeyElseNo,
           .groups = GroupRule::ByMethod,
           .default_method = "greedy",
           .shared = SharedRule::Counted,
           .dense = DenseRule::FirstLayers,
           .defaults = {.shared_experts = 2, .query_rank = 1536},
           .attention = AttentionRule::Latent,
           .names = kDeepseekNames},
    Family{.name = "DeepSeek-V3",
           .model_types = kDeepseek3Types,
           .architectures = kDeepseek3Classes,
           .experts_key = "n_routed_experts",
           .intermediate_key = "moe_intermediate_size",
           .scoring = Scoring::Sigmoid,
           .has_scoring_key = true,
           .renormalise = Renormalise::ByKeyElseYes,
           .groups = GroupRule::ByMethod,
           .default_method = "noaux_tc",
           .shared = SharedRule::Counted,
           .dense = DenseRule::FirstLayers,
           .default_dense_layers = 3,
           .defaults = {.groups = 8,
                        .groups_kept = 4,
                        .scaling_factor = 2.5,
                        .shared_experts = 1,
                        .query_rank = 1536},
           .attention = AttentionRule::Latent,
           .names = kDeepseekNames},
    Family{.name = "GLM-4.5",
           .model_types = kGlmTypes,
           .architectures = kGlmClasses,
           .experts_key = "n_routed_experts",
           .intermediate_key = "moe_intermediate_size",
           .scoring = Scoring::Sigmoid,
           .renormalise = Renormalise::ByKeyElseYes,
           .groups = GroupRule::WithCorrection,
           .shared = SharedRule::Counted,
           .dense = DenseRule::FirstLayers,
           .default_dense_layers = 1,
           .defaults = {.shared_experts = 1, .norm_epsilon = 1e-5, .kv_heads = 8},
           .qk_norm = QkNorm::PerHeadByKey,
           .default_rotary_share = 0.5,
           .names = kDeepseekNames},
    Family{.name = "Llama-4",
           .model_types = kLlama4Types,
           .architectures = kLlama4Classes,
           .experts_key = "num_local_experts",
           .intermediate_key = "intermediate_size",
           .scoring = Scoring::SigmoidOnInput,
           .renormalise = Renormalise::Never,
           .shared = SharedRule::OneExpert,
           .dense = DenseRule::Interleaved,
           .defaults = {.rope_theta = 500000, .norm_epsilon = 1e-5, .kv_heads = 8},
           .qk_norm = QkNorm::L2ByKey,
           .names = kLlama4Names},
    Family{.name = "OLMoE",
           .model_types = kOlmoeTypes,
           .architectures = kOlmoeClasses,
           .experts_key = "num_experts",
           .intermediate_key = "intermediate_size",
           .renormalise = Renormalise::ByKeyElseNo,
           .defaults = {.norm_epsilon = 1e-5},
           .qk_norm = QkNorm::Whole,
           .names = kQwenNames},
    Family{.name = "Granite-MoE",
           .model_types = kGraniteTypes,
           .architectures = kGraniteClasses,
           .experts_key = "num_local_experts",
           .intermediate_key = "intermediate_size",
           .scoring = Scoring::SoftmaxOfChosen,
           .names = kGraniteNames},
    // For models outside of the families above: the user states the numbers under these names.
    Family{.name = "generic",
           .model_types = kGenericTypes,
           .architectures = {},
           .experts_key = "num_experts",
           .intermediate_key = "moe_intermediate_size",
           .has_scoring_key = true,
           .renormalise = Renormalise::ByKeyElseYes,
           .groups = GroupRule::ByMethod,
           .default_method = "greedy",
           .shared = SharedRule::Counted,
           .dense = DenseRule::FirstLayers,
           .names = kQwenNames},
};

}  // namespace

std::span<const Family> all_families() {
    return kFamilies;
}

}  // namespace tessera::model
