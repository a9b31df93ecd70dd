// SPDX-License-Identifier: Apache-2.0
// One fused MoE layer: its extents and choices, which the roles build their steps from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ops/activation/activation.hpp"
#include "ops/fused_moe/weight_formats.hpp"

namespace tessera::ops::fused_moe {

enum class Quantisation : std::uint8_t {
    None,        ///< bfloat16 activations and weights
    WeightBfp4,  ///< weights bfp4_b, the 4-bit block format
    WeightBfp8,  ///< weights bfp8_b
    Fp8Tensor,   ///< e4m3, a scale a tensor (of weights: an expert)
    Fp8Static,   ///< the same, activations with a scale from the checkpoint
    Fp8Token,    ///< e4m3, a scale a row
    Fp8Block,    ///< e4m3, a scale for 1×128 of activations and 128×128 of weights
    Int8,        ///< integers of 8 bits, a scale a row of both
    Mxfp4,       ///< e2m1, an e8m0 scale for 32 columns of both
    Nvfp4,       ///< e2m1, an e4m3 scale for 16 columns of both
    WeightInt8,  ///< weights only
    WeightInt4,  ///< weights only, a scale for 128 of a row
};

/// Between the two products, as vLLM names it: without `_mul` a gate, which stands first in w1, or
/// at even rows (swigluoai).
enum class Activation : std::uint8_t { Silu, Gelu, SwigluOai, SiluNoMul, GeluNoMul, Relu2NoMul };

/// Returns the same for the op activation, with `alpha` and `limit` of swigluoai.
[[nodiscard]] RowActivationSpec row_activation(Activation activation, double alpha, double limit);

struct Layer {
    std::uint32_t tokens = 0;         ///< M, of the batch: of all devices together
    bool has_own_tokens = false;      ///< each device starts from its part of them
    std::uint32_t hidden = 0;         ///< H
    std::uint32_t gate_up = 0;        ///< rows of an expert's w1: 2N, or N without a gate
    std::uint32_t intermediate = 0;   ///< N
    std::uint32_t experts = 0;        ///< E, global_num_experts
    std::uint32_t local_experts = 0;  ///< L, slots of a device; some may have no expert
    std::uint32_t top_k = 0;          ///< K
    std::uint32_t ranks = 1;          ///< devices

    Activation activation = Activation::Silu;
    double alpha = RowActivationSpec{}.alpha;  ///< of swigluoai
    double limit = RowActivationSpec{}.limit;  ///< of swigluoai
    bool apply_router_weight_on_input = false;
    std::uint32_t block_size = 32;
    std::uint32_t max_num_tokens = 0;  ///< that an expert takes of one device; 0: all
    bool has_shared_expert = false;    ///< tensors shared_w1 and shared_w2
    bool has_expert_places = false;    ///< tensor expert_places

    // Names of what a role starts from.
    std::string a = "a";
    std::string a_scales;  ///< of a in codes: one row a token, or a1_scale; empty: a is bfloat16
    std::string topk_ids = "topk_ids";
    std::string topk_weights = "topk_weights";
    std::string expert_map = "expert_map";
    std::string w1 = "w1";
    std::string w2 = "w2";
    // Empty: there are none.
    std::string w1_scales;
    std::string w2_scales;
    std::string w1_zero_points;
    std::string w2_zero_points;
    std::string a1_scale;  ///< of activations before the first product
    std::string a2_scale;
    std::string w1_bias;
    std::string w2_bias;
    std::string w1_factors;
    std::string w2_factors;
    ActivationScheme activations = {};  ///< how they are quantised before the products
    std::uint32_t w1_parts = 1;         ///< of w1, whose scale blocks start at its own first row

    /// Returns the tokens that one device dispatches: the batch in equal parts, the last filled up.
    [[nodiscard]] std::uint32_t rank_tokens() const { return (tokens + ranks - 1) / ranks; }
    /// Whether scales travel with the codes of tokens. A static scale is on every device.
    [[nodiscard]] bool sends_scales() const { return !a_scales.empty() && a_scales != a1_scale; }
    /// Whether so many tokens fill a block of each expert, on average.
    [[nodiscard]] bool fills_blocks(std::uint32_t of_tokens) const {
        return std::uint64_t{of_tokens} * top_k >= std::uint64_t{experts} * block_size;
    }
    /// Returns rank_tokens, held to max_num_tokens if that is given.
    [[nodiscard]] std::uint32_t max_num_tokens_per_rank() const {
        return max_num_tokens == 0 ? rank_tokens() : max_num_tokens;
    }
};

}  // namespace tessera::ops::fused_moe
