// SPDX-License-Identifier: Apache-2.0
// A fused MoE layer as vLLM's modular kernel builds it: tokens go to the devices of their experts,
// through w1, activation and w2, and come back weighed and summed.
#pragma once

#include <array>

#include "ops/fused_moe/selection.hpp"
#include "ops/op.hpp"

namespace tessera::ops::fused_moe {

/// A row of the tables, by name; null: auto, to be chosen for the layer.
struct PrepareFinalizeName {
    const PrepareAndFinalize* row = nullptr;
};
struct ExpertsName {
    const Experts* row = nullptr;
};
struct WeightFormatName {
    const WeightFormat* row = nullptr;
};

/// Tokens that each device of the group has in `a`.
enum class Tokens : std::uint8_t {
    Batch,  ///< all tokens, the same on every device
    Own,    ///< as many tokens as the others, but its own ones: a data- or sequence-parallel part
};

struct MoeSpec {
    PrepareFinalizeName pf;
    ExpertsName experts;
    WeightFormatName quantisation;
    Activation activation = Activation::Silu;
    double alpha = RowActivationSpec{}.alpha;  ///< of swigluoai
    double limit = RowActivationSpec{}.limit;  ///< of swigluoai
    bool apply_router_weight_on_input = false;
    std::uint32_t block_size = 32;     ///< of moe_align_block_size
    std::uint32_t chunk_tokens = 0;    ///< tokens that go through the experts at once; 0: all
    std::uint32_t max_num_tokens = 0;  ///< that an expert has room for, of a device; 0: all
    Tokens tokens = Tokens::Batch;
};

inline constexpr std::array<std::string_view, 1> kSchedules{"modular"};
inline constexpr std::array kInputs{
    Operand{"a", "(M, H)", "bfloat16", "ROW_MAJOR"},
    Operand{.name = "w1",
            .shape = "(L, G, H_codes)",
            .format = "bfloat16 | fp8_e4m3 | bfp8_b | bfp4_b | uint8",
            .layout = "TILE",
            .lies = Lies::Anyhow},
    Operand{.name = "w2",
            .shape = "(L, H, N_codes)",
            .format = "bfloat16 | fp8_e4m3 | bfp8_b | bfp4_b | uint8",
            .layout = "TILE",
            .lies = Lies::Anyhow},
    Operand{"topk_ids", "(M, K)", "int32 | uint32", "ROW_MAJOR"},
    Operand{"topk_weights", "(M, K)", "float32", "ROW_MAJOR"},
    Operand{"expert_map", "(E)", "int32", "ROW_MAJOR"},
    Operand{.name = "shared_w1",
            .shape = "(1, G_shared, H)",
            .format = "bfloat16",
            .layout = "TILE",
            .presence = Presence::Optional},
    Operand{.name = "shared_w2",
            .shape = "(1, H, N_shared)",
            .format = "bfloat16",
            .layout = "TILE",
            .presence = Presence::Optional},
    Operand{.name = "expert_places",
            .shape = "(E)",
            .format = "int32",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
    Operand{.name = "w1_scale",
            .shape = "any",
            .format = "float32 | bfloat16 | uint8 | fp8_e4m3",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
    Operand{.name = "w2_scale",
            .shape = "any",
            .format = "float32 | bfloat16 | uint8 | fp8_e4m3",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
    Operand{.name = "w1_zp",
            .shape = "any",
            .format = "uint8",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
    Operand{.name = "w2_zp",
            .shape = "any",
            .format = "uint8",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
    Operand{.name = "a1_scale",
            .shape = "(1)",
            .format = "float32",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
    Operand{.name = "a2_scale",
            .shape = "(1)",
            .format = "float32",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
    Operand{.name = "w1_bias",
            .shape = "(L, G)",
            .format = "bfloat16",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
    Operand{.name = "w2_bias",
            .shape = "(L, H)",
            .format = "bfloat16",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
    Operand{.name = "w1_scale_2",
            .shape = "(L)",
            .format = "float32",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
    Operand{.name = "w2_scale_2",
            .shape = "(L)",
            .format = "float32",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
};
inline constexpr std::array kOutputs{Operand{"out", "(M, H)", "bfloat16", "ROW_MAJOR"}};

/// Positions of operands by their names: "a"_in.
consteval std::size_t operator""_in(const char* name, std::size_t /*size*/) {
    return place_of(kInputs, name);
}
/// The tolerance is that of experts in bfloat16: what vLLM's own tests allow, with the roundings
/// between the ops.
inline constexpr OpSpec kSpec{
    .name = "fused_moe",
    .summary = "a MoE layer of a prepare/finalize pair and experts that fit it",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = {.max_relative_error = 0.05, .min_pcc = 0.9999},
};

/// Returns the op, for the registry; planning replaces it by the steps of modular_kernel().
///
///   out[t,:] = Σ_k topk_weights[t,k] · act(a[t,:] · w1[e]ᵀ) · w2[e]ᵀ,   e = topk_ids[t,k]
///
/// Shapes   a, topk_ids and topk_weights are the same on every device, or (tokens: own) each has
///          those of its own M tokens, and gets their rows of out; w1 and w2 are the device's
///          experts; w1's rows are gate, then up (2N), or one after the other (swigluoai), or N
///          without a gate. expert_map gives the device's local id of an expert, or −1.
/// Experts  each expert is on one device, in any order. Each device has L slots for experts: the
///          number of the device with the most; slots without an expert get no tokens. Pairs
///          that find an expert by its number (needs_contiguous_experts) take expert e on device
///          e / L; with expert_places, device · L + local id of each expert, they take any map.
/// Codes    `quantisation` says how w1 and w2 are stored: all_weight_formats() has a row for each.
///          Packed codes have two columns a byte, the even one in the lower half.
/// Bias     w1_bias is added before the activation, w2_bias before the routing weight.
/// Shared   with shared_w1 and shared_w2, an expert that takes every token, without a weight, is
///          added to the sum of the others.
/// Source   vLLM, modular_kernel.py (FusedMoEModularKernel.forward).
[[nodiscard]] const Op& op();

/// Returns the extents and choices of a layer from its operands' shapes.
[[nodiscard]] Layer layer_of(std::span<const TensorPlan> inputs, std::uint32_t ranks,
                             const MoeSpec& spec);

/// Returns the pair of a layer, and why parts that are auto are what they are.
[[nodiscard]] Selection selection_of(std::span<const TensorPlan> inputs, std::uint32_t ranks,
                                     const MoeSpec& spec);

}  // namespace tessera::ops::fused_moe

namespace tessera::config {

template <>
inline constexpr std::array kEnumNames<ops::fused_moe::Activation>{
    EnumName<ops::fused_moe::Activation>{"silu", ops::fused_moe::Activation::Silu},
    EnumName<ops::fused_moe::Activation>{"gelu", ops::fused_moe::Activation::Gelu},
    EnumName<ops::fused_moe::Activation>{"swigluoai", ops::fused_moe::Activation::SwigluOai},
    EnumName<ops::fused_moe::Activation>{"silu_no_mul", ops::fused_moe::Activation::SiluNoMul},
    EnumName<ops::fused_moe::Activation>{"gelu_no_mul", ops::fused_moe::Activation::GeluNoMul},
    EnumName<ops::fused_moe::Activation>{"relu2_no_mul", ops::fused_moe::Activation::Relu2NoMul},
};
template <>
inline constexpr std::array kEnumNames<ops::fused_moe::Tokens>{
    EnumName<ops::fused_moe::Tokens>{"batch", ops::fused_moe::Tokens::Batch},
    EnumName<ops::fused_moe::Tokens>{"own", ops::fused_moe::Tokens::Own},
};

template <>
struct Value<ops::fused_moe::PrepareFinalizeName> {
    static constexpr JsonForm kJson = JsonForm::Text;
    [[nodiscard]] static Parsed<ops::fused_moe::PrepareFinalizeName> parse(const Node& node);
    [[nodiscard]] static std::string show(const ops::fused_moe::PrepareFinalizeName& value);
    [[nodiscard]] static std::string allowed();
};
template <>
struct Value<ops::fused_moe::WeightFormatName> {
    static constexpr JsonForm kJson = JsonForm::Text;
    [[nodiscard]] static Parsed<ops::fused_moe::WeightFormatName> parse(const Node& node);
    [[nodiscard]] static std::string show(const ops::fused_moe::WeightFormatName& value);
    [[nodiscard]] static std::string allowed();
};
template <>
struct Value<ops::fused_moe::ExpertsName> {
    static constexpr JsonForm kJson = JsonForm::Text;
    [[nodiscard]] static Parsed<ops::fused_moe::ExpertsName> parse(const Node& node);
    [[nodiscard]] static std::string show(const ops::fused_moe::ExpertsName& value);
    [[nodiscard]] static std::string allowed();
};

}  // namespace tessera::config
