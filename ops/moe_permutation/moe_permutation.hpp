// SPDX-License-Identifier: Apache-2.0
// Orders one device's share of the routed tokens by expert: all tables that a grouped product and
// the way back need, without a preceding scatter step.
#pragma once

#include <array>

#include "ops/op.hpp"

namespace tessera::ops {

struct PermutationSpec {
    std::uint32_t experts = 1;              ///< experts of the whole layer
    std::uint32_t local_experts = 1;        ///< experts of one device
    std::uint32_t local_expert_offset = 0;  ///< first expert of the group's first device
    std::uint32_t tile = 8;                 ///< tokens of a CTA
};

}  // namespace tessera::ops

namespace tessera::ops::moe_permutation {

/// Tokens that one CTA of a grouped product may take.
inline constexpr std::array<std::uint32_t, 5> kTokenTiles{8, 16, 32, 64, 128};

inline constexpr std::array<std::string_view, 1> kSchedules{"single_core"};
inline constexpr std::array kInputs{Operand{"topk_ids", "(T, K)", "int32 | uint32", "ROW_MAJOR"}};
inline constexpr std::array kOutputs{
    Operand{"expert_count_histogram", "(E)", "int32", "ROW_MAJOR"},
    Operand{"expert_count_histogram_local", "(E)", "int32", "ROW_MAJOR"},
    Operand{"total_num_padded_tokens", "(1)", "int32", "ROW_MAJOR"},
    Operand{"padded_prefix_sum", "(L)", "int32", "ROW_MAJOR"},
    Operand{"expanded_idx_to_permuted_idx", "(X)", "int32", "ROW_MAJOR"},
    Operand{"permuted_idx_to_token_idx", "(P)", "int32", "ROW_MAJOR"},
    Operand{"permuted_idx_to_expanded_idx", "(P)", "int32", "ROW_MAJOR"},
    Operand{"cta_idx_xy_to_batch_idx", "(C)", "int32", "ROW_MAJOR"},
    Operand{"cta_idx_xy_to_mn_limit", "(C)", "int32", "ROW_MAJOR"},
    Operand{"num_non_exiting_ctas", "(1)", "int32", "ROW_MAJOR"}};

/// Positions of outputs by their names: "num_non_exiting_ctas"_out.
consteval std::size_t operator""_out(const char* name, std::size_t /*size*/) {
    return place_of(kOutputs, name);
}
inline constexpr OpSpec kSpec{
    .name = "moe_permutation",
    .summary = "makes the tables of a grouped product: permuted rows by expert, and its CTAs",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kExact,
};

/// Returns the op, for the registry. With K experts per token, expanded index i = token·K + k. A
/// slot of −1 names no expert: it is not counted and has no permuted row.
///
/// expert_count_histogram        (experts) number of choices of each expert
/// expert_count_histogram_local  the same, 0 for experts of other devices
/// padded_prefix_sum             (local_experts + 1) first permuted row of each local expert: each
///                               has its count rounded up to whole tiles
/// total_num_padded_tokens       its last entry
/// expanded_idx_to_permuted_idx  (T·K) −1 for experts of other devices
/// permuted_idx_to_token_idx     (P) −1 in padding, as in the inverse permuted_idx_to_expanded_idx
/// cta_idx_xy_to_batch_idx       (C) local expert of CTA c, which has permuted rows [c, c + 1)·tile
/// cta_idx_xy_to_mn_limit        (C) its first row that holds no token
/// num_non_exiting_ctas          number of used CTAs; entries after them are −1
///
/// P and C have the sizes of the worst routing: most_ctas(). Tokens of an expert are in ascending
/// expanded order. Device p of a group has experts from local_expert_offset + p·local_experts on.
/// One core computes all tables in scalar code, because they depend on each other.
/// Errors   UsageError if an id is not −1 to experts − 1 or, with K > local_experts, if a token
///          selects an expert twice: P has no space for that.
/// Source   TRT-LLM, trtllm_fused_moe_routing (routingIndicesClusterKernel).
[[nodiscard]] const Op& op();

/// Returns the CTAs that the worst routing of `tokens` tokens to `top_k` experts each needs: one
/// row in every expert, and the remaining rows in whole tiles.
[[nodiscard]] std::uint32_t most_ctas(std::uint32_t tokens, std::uint32_t top_k,
                                      std::uint32_t local_experts, std::uint32_t tile);

}  // namespace tessera::ops::moe_permutation
