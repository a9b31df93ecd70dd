// SPDX-License-Identifier: Apache-2.0
// Causal attention of prompts, or of the rest of prompts whose first tokens lie in a cache, with
// keys and values of each head (the up-projected form of MLA), or of heads that groups of queries
// share (GQA).
#pragma once

#include <array>

#include "ops/op.hpp"

namespace tessera::ops::attention_prefill {

struct PrefillSpec {
    double scale = 1;              ///< of scores
    std::uint32_t block = 4;       ///< key tiles that are worked on together
    std::uint32_t page_size = 32;  ///< positions of a page of the caches
    std::uint32_t kv_heads = 1;    ///< of keys and values, if `values` are given
    std::uint32_t window = 0;      ///< positions that a token sees, with its own; 0: all
    std::uint32_t strips = 0;      ///< heads of a unit of work; 0: as many as keep all cores busy
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
/// Exponentials and the result are rounded to bfloat16; the errors of the former average out over
/// the keys of a row, of which there may be one or two.
inline constexpr OpSpec kSpec{
    .name = "attention_prefill",
    .summary = "causal attention of prompts with keys and values of each head",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = {.max_relative_error = 0.02, .min_pcc = 0.9999},
};

/// The op, for the registry: of token t, and the tokens k ≤ t of its sequence,
///   output[t,h] = Σ_k softmax_k(scale · (query[t,h]·k_nope[k,h] + q_rope[t,h]·k_rope[k])) ·
///   v[k,h].
/// A row of `kv` has [k_nope | v] of head after head. Sequence s is tokens sequence_starts[s] up to
/// the next start: prompts of any lengths, none too, one after the other.
///
/// With `contexts` sequence s has contexts[s] keys before its first token, which may be none. `kv`
/// and `k_rope` then have as many rows for each sequence, its positions from 0 on, as pages of a
/// cache give them. With `chosen` token t sees those positions only that chosen[t] lists (−1:
/// none), as a mask over all keys: for a context of few times the choices, since what is not chosen
/// is read and multiplied too.
///
/// With `values` (GQA) a position of `kv` has keys of kv_heads heads, and one of `values` as many
/// values; head h / (heads / kv_heads) belongs to query h, whose rotated part is in `query`. Both are
/// caches in pages of `page_size` positions if there is a `page_table`, whose row s has the pages of
/// sequence s, −1 for those that nobody sees. Rows of the tensors are heads, positions or pages.
/// `sinks` has one more term of the softmax for each query, without a value. With `window` a token at
/// position p sees k if 0 ≤ p − k < window.
///
/// The unit of work is 32 tokens of a head; units are dealt out in turn, as later ones see more
/// keys. Scores of a block of keys stay in L1. Heads that share keys are `strips` of one unit, for
/// which these are read and tilized once.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::attention_prefill
