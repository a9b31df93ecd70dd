// SPDX-License-Identifier: Apache-2.0
// Scores of the DeepSeek-V3.2 indexer, which select the positions that a token attends to.
#pragma once

#include <array>

#include "ops/op.hpp"

namespace tessera::ops::index_scores {

struct IndexScoresSpec {
    double factor = 1;             ///< factor of the weights of heads
    std::uint32_t page_size = 32;  ///< positions of a page of the cache
    std::uint32_t key_tiles = 8;   ///< tiles of 32 keys of a unit of work
    GridSize grid;                 ///< cores to spread over; 0×0: all that the device offers
};

inline constexpr std::array<std::string_view, 1> kSchedules{"multi_core"};
inline constexpr std::array kInputs{
    Operand{"q", "(..., h, d)", "bfloat16 | fp8_e4m3", "ROW_MAJOR"},
    Operand{"weights", "any", "bfloat16", "ROW_MAJOR"},
    Operand{"cache", "(P, C)", "=q", "ROW_MAJOR"},
    Operand{"page_table", "(S, N)", "int32", "ROW_MAJOR"},
    Operand{"positions", "any", "int32", "ROW_MAJOR"},
    Operand{.name = "q_scale",
            .shape = "(..., h, 1)",
            .format = "float32",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
    Operand{.name = "cache_scale",
            .shape = "(P_s, C_s)",
            .format = "float32",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
};
inline constexpr std::array kOutputs{
    Operand{"scores", "any", "float32", "ROW_MAJOR"},
    Operand{.name = "head_weights",
            .shape = "any",
            .format = "float32",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
};

/// Positions of operands by their names: "q"_in.
consteval std::size_t operator""_in(const char* name, std::size_t /*size*/) {
    return place_of(kInputs, name);
}
consteval std::size_t operator""_out(const char* name, std::size_t /*size*/) {
    return place_of(kOutputs, name);
}
/// Products of e4m3 codes are exact in fp32, and each addition of their sums rounds once. The sum
/// over heads passes the matrix unit in parts that together have 24 bits.
inline constexpr OpSpec kSpec{
    .name = "index_scores",
    .summary = "weighted ReLU scores of positions for a token, over a paged cache of keys",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = {.max_relative_error = 2e-6, .min_pcc = 0.999999},
};

/// Returns the op, for the registry. For token t and position k ≤ positions[t] of its sequence
///   scores[t,k] = Σ_h max(q[t,h] · key_k, 0) · weights[t,h] · factor · q_scale[t,h] · scale_k,
/// −∞ after the token's position. head_weights are weights · factor. Position k of sequence s is
/// row page_table[s][k / page_size] · page_size + k % page_size of the cache. A row of the cache's
/// tensor is one position or one page. Every sequence has the same number of consecutive tokens.
/// fp8 needs the scales of both sides; bfloat16 has none.
///
/// The matrix unit multiplies the heads of a token, as rows, with 32 keys at a time. The rest is
/// fp32 in the vector unit.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::index_scores
