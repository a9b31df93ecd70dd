// SPDX-License-Identifier: Apache-2.0
// Attention of all heads of a token over a paged cache of latents: the absorbed form of MLA.
#pragma once

#include <array>

#include "ops/op.hpp"

namespace tessera::ops::attention_decode {

struct DecodeSpec {
    double scale = 1;              ///< of scores
    std::uint32_t page_size = 32;  ///< positions of a page of the cache
    std::uint32_t block = 4;       ///< key tiles that are worked on together
    std::uint32_t split = 0;       ///< cores that share a token's keys; 0: as its keys ask for
    GridSize grid;                 ///< cores to spread over; 0×0: all that the device offers
};

inline constexpr std::array<std::string_view, 1> kSchedules{"split_sequence"};
inline constexpr std::array kInputs{
    Operand{"q_latent", "(..., h, C)", "bfloat16", "ROW_MAJOR"},
    Operand{"q_rope", "(..., h, R)", "bfloat16", "ROW_MAJOR"},
    Operand{"cache", "(P, C_R)", "bfloat16", "ROW_MAJOR"},
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
};
/// The same, of a cache in fp8.
inline constexpr std::array kFp8Inputs{
    kInputs[0],
    kInputs[1],
    Operand{"cache", "(P, L)", "fp8_e4m3", "ROW_MAJOR"},
    kInputs[3],
    kInputs[4],
    Operand{"cache_scale", "(P, B)", "float32", "ROW_MAJOR"},
    Operand{"rope_cache", "(P, T)", "bfloat16", "ROW_MAJOR"},
    kInputs[5],
    kInputs[6],
};
inline constexpr std::array kOutputs{Operand{"output", "(..., h, C)", "bfloat16", "ROW_MAJOR"}};
/// Exponentials and the result are rounded to bfloat16; the errors of the former average out over
/// the keys of a row, of which there may be one or two.
inline constexpr OpSpec kSpec{
    .name = "attention_decode",
    .summary = "attention of heads over a paged cache of latents, with all keys or chosen ones",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = {.max_relative_error = 0.02, .min_pcc = 0.9999},
};

/// Returns the op, for the registry: of token t at position p of its sequence
///   output[t,h] = Σ_k softmax_k(scale · (q_latent[t,h]·latent_k + q_rope[t,h]·rope_k)) · latent_k
/// over the keys k ≤ p, or those of them that chosen[t] lists (−1: none). A row of the cache is
/// [latent | rope]; position k of sequence s is row page_table[s][k / page_size] · page_size +
/// k % page_size. Without `sequences` every sequence has as many tokens, one behind the other.
///
/// Up to 32 heads of a token are the rows of a unit of work. `split` cores take a range of its
/// blocks of keys each; the first of them merges maxima, sums and outputs.
[[nodiscard]] const Op& op();

/// Returns an op with these functions: inputs say whether the cache is in bfloat16 or in fp8.
[[nodiscard]] Op op_of(const OpSpec& spec);

}  // namespace tessera::ops::attention_decode
