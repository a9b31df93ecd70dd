// SPDX-License-Identifier: Apache-2.0
// Attention of all heads of a token over a paged cache. The cache has latents (the absorbed form of
// MLA), or keys and values whose heads are shared by groups of queries (GQA).
#pragma once

#include <array>

#include "emu/base/fields/field.hpp"
#include "ops/op.hpp"

namespace tessera::ops::attention_decode {

/// How cores that share a token's keys add their sums: in pairs, or all on the first one.
enum class MergeOrder : std::uint8_t { Tree, Leader };

struct DecodeSpec {
    double scale = 1;              ///< factor of scores
    std::uint32_t page_size = 32;  ///< positions of a page of the cache
    std::uint32_t block = 4;       ///< key tiles that are worked on together
    std::uint32_t split = 0;       ///< cores that share a token's keys; 0: as its keys ask for
    std::uint32_t kv_heads = 1;    ///< heads of keys and values
    std::uint32_t window = 0;      ///< positions that a token attends to, including its own; 0: all
    GridSize grid;                 ///< cores to spread over; 0×0: all that the device offers
    MergeOrder merge = MergeOrder::Tree;
};

inline constexpr std::array<std::string_view, 1> kSchedules{"split_sequence"};
inline constexpr std::array kInputs{
    Operand{"query", "(..., h, C)", "bfloat16", "ROW_MAJOR"},
    Operand{.name = "q_rope",
            .shape = "(..., h, R)",
            .format = "bfloat16",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
    Operand{"cache", "any", "bfloat16", "ROW_MAJOR"},
    Operand{"page_table", "(S, N)", "int32", "ROW_MAJOR"},
    Operand{"positions", "any", "int32", "ROW_MAJOR"},
    Operand{.name = "chosen",
            .shape = "any",
            .format = "int32",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
    Operand{.name = "sequences",
            .shape = "any",
            .format = "int32",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
    Operand{.name = "values",
            .shape = "any",
            .format = "bfloat16",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
    Operand{.name = "sinks",
            .shape = "any",
            .format = "bfloat16",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
};

/// Positions of operands by their names: "query"_in.
consteval std::size_t operator""_in(const char* name, std::size_t /*size*/) {
    return place_of(kInputs, name);
}

/// The same, of a cache of latents in fp8.
inline constexpr std::array kFp8Inputs{
    kInputs["query"_in],
    Operand{"q_rope", "(..., h, R)", "bfloat16", "ROW_MAJOR"},
    Operand{"cache", "(P, L)", "fp8_e4m3", "ROW_MAJOR"},
    kInputs["page_table"_in],
    kInputs["positions"_in],
    Operand{"cache_scale", "(P, B)", "float32", "ROW_MAJOR"},
    Operand{"rope_cache", "(P, T)", "bfloat16", "ROW_MAJOR"},
    kInputs["chosen"_in],
    kInputs["sequences"_in],
};
inline constexpr std::array kOutputs{Operand{"output", "(..., h, V)", "bfloat16", "ROW_MAJOR"}};
/// Exponentials and the result are rounded to bfloat16. The errors of the exponentials average out
/// over the keys of a row, of which there may be only one or two.
inline constexpr OpSpec kSpec{
    .name = "attention_decode",
    .summary = "attention of a token's heads over a paged cache of latents, or of keys and values",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = {.max_relative_error = 0.02, .min_pcc = 0.9999},
};

/// Returns the op, for the registry. For token t at position p of its sequence
///   output[t,h] = Σ_k softmax_k(scale · (query[t,h]·key_k + q_rope[t,h]·rope_k)) · value_k
/// over the keys k ≤ p, or those of them that chosen[t] lists (−1: none). Position k of sequence s
/// is position page_table[s][k / page_size] · page_size + k % page_size of the cache. Pages that no
/// token attends to may be −1. Without `sequences` every sequence has the same number of
/// consecutive tokens.
///
/// Latents (MLA): a row of the cache is [latent | rope]. Key and value are the latent, which has as
/// many elements as a query. Heads (GQA): with `values`, a position of `cache` and of `values` has
/// kv_heads heads; head h / (heads / kv_heads) belongs to query h. Rows of the tensors are heads,
/// positions or pages. `sinks` adds one term without a value to the softmax of each query. With
/// `window` a token at p attends to k if 0 ≤ p − k < window.
///
/// A unit of work has up to 32 heads of a token as its rows; they share keys. Each of `split` cores
/// processes a range of the unit's blocks of keys. Maxima, sums and outputs are merged in a tree:
/// core 2·i takes those of core 2·i + 1, then core 4·i those of core 4·i + 2, and so on. With
/// `merge` leader the first core takes those of all others one after another. The two orders round
/// fp32 sums differently.
[[nodiscard]] const Op& op();

/// Returns an op with these functions: inputs say whether the cache is in bfloat16 or in fp8.
[[nodiscard]] Op op_of(const OpSpec& spec);

}  // namespace tessera::ops::attention_decode

namespace tessera::config {

template <>
inline constexpr std::array kEnumNames<ops::attention_decode::MergeOrder>{
    EnumName<ops::attention_decode::MergeOrder>{"tree", ops::attention_decode::MergeOrder::Tree},
    EnumName<ops::attention_decode::MergeOrder>{"leader",
                                                ops::attention_decode::MergeOrder::Leader},
};

}  // namespace tessera::config
