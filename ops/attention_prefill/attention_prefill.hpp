// SPDX-License-Identifier: Apache-2.0
// Causal attention of prompts, or of the rest of prompts whose first tokens are in a cache. Each
// head has its own keys and values (the up-projected form of MLA), or groups of queries share them
// (GQA).
#pragma once

#include <array>

#include "ops/op.hpp"

namespace tessera::ops::attention_prefill {

struct PrefillSpec {
    double scale = 1;              ///< factor of scores
    std::uint32_t block = 4;       ///< key tiles that are worked on together
    std::uint32_t page_size = 32;  ///< positions of a page of the caches
    std::uint32_t kv_heads = 1;    ///< heads of keys and values, with `values`
    std::uint32_t window = 0;      ///< positions that a token attends to, including its own; 0: all
    std::uint32_t strips = 0;      ///< heads per unit of work; 0: as many as keep all cores busy
    GridSize grid;                 ///< cores to spread over; 0×0: all that the device offers
};

inline constexpr std::array<std::string_view, 1> kSchedules{"flash"};
inline constexpr std::array kInputs{
    Operand{"query", "(..., h, N)", "bfloat16", "ROW_MAJOR"},
    Operand{.name = "q_rope",
            .shape = "(..., h, R)",
            .format = "bfloat16",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
    Operand{"kv", "any", "bfloat16", "ROW_MAJOR"},
    Operand{.name = "k_rope",
            .shape = "any",
            .format = "bfloat16",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
    Operand{"sequence_starts", "(S)", "int32", "ROW_MAJOR"},
    Operand{.name = "contexts",
            .shape = "(S)",
            .format = "int32",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
    Operand{.name = "chosen",
            .shape = "any",
            .format = "int32",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
    Operand{.name = "values",
            .shape = "any",
            .format = "bfloat16",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
    Operand{.name = "page_table",
            .shape = "(S, W)",
            .format = "int32",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
    Operand{.name = "sinks",
            .shape = "any",
            .format = "bfloat16",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
};
inline constexpr std::array kOutputs{Operand{"output", "(..., h, V)", "bfloat16", "ROW_MAJOR"}};

/// Positions of operands by their names: "query"_in.
consteval std::size_t operator""_in(const char* name, std::size_t /*size*/) {
    return place_of(kInputs, name);
}
/// Exponentials and the result are rounded to bfloat16. The errors of the exponentials average out
/// over the keys of a row, of which there may be only one or two.
inline constexpr OpSpec kSpec{
    .name = "attention_prefill",
    .summary = "causal attention of prompts with keys and values of each head",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = {.max_relative_error = 0.02, .min_pcc = 0.9999},
};

/// Returns the op, for the registry. For token t, and the tokens k ≤ t of its sequence,
///   output[t,h] = Σ_k softmax_k(scale · (query[t,h]·k_nope[k,h] + q_rope[t,h]·k_rope[k])) ·
///   v[k,h].
/// A row of `kv` has [k_nope | v] of all heads in order. Sequence s consists of the tokens from
/// sequence_starts[s] to the next start: consecutive prompts of any lengths, including 0.
///
/// With `contexts` sequence s has contexts[s] keys before its first token, possibly none. `kv` and
/// `k_rope` then have equally many rows for each sequence, its positions from 0 on, as in pages of
/// a cache. With `chosen` token t attends only to the positions that chosen[t] lists (−1: none).
/// The list is a mask over all keys, because positions that are not chosen are read and multiplied
/// too. It suits contexts of a few times the number of choices.
///
/// With `values` (GQA) a position of `kv` has keys of kv_heads heads, and a position of `values` as
/// many values. Head h / (heads / kv_heads) belongs to query h, whose rotated part is in `query`.
/// With a `page_table` both are caches in pages of `page_size` positions. Row s of the table has
/// the pages of sequence s, −1 for pages that no token attends to. Rows of the tensors are heads,
/// positions or pages. `sinks` adds one term without a value to the softmax of each query. With
/// `window` a token at position p attends to k if 0 ≤ p − k < window.
///
/// A unit of work is 32 tokens of a head. Cores take units in turn, because later units have more
/// keys. Scores of a block of keys stay in L1. Heads that share keys are `strips` of one unit,
/// which reads and tilizes the keys once.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::attention_prefill
