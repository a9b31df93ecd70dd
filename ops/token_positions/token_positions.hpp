// SPDX-License-Identifier: Apache-2.0
// Positions of the tokens of ragged sequences.
#pragma once

#include <array>

#include "ops/op.hpp"

namespace tessera::ops::token_positions {

struct PositionsSpec {
    std::uint32_t tokens = 1;       ///< rows of all sequences, and of padding after them
    std::uint32_t page_size = 32;   ///< positions of a page
    std::uint32_t cache_pages = 0;  ///< pages of the caches; 0: unknown
    std::uint32_t window = 0;       ///< positions that a token attends to; 0: all
};

inline constexpr std::array<std::string_view, 1> kSchedules{"single_core"};
inline constexpr std::array kInputs{
    Operand{"context_lens", "(S)", "int32", "ROW_MAJOR"},
    Operand{"query_lens", "(S)", "int32", "ROW_MAJOR"},
    Operand{.name = "page_table",
            .shape = "(S, W)",
            .format = "int32",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
};
inline constexpr std::array kOutputs{
    Operand{"positions", "(T)", "int32", "ROW_MAJOR"},
    Operand{"sequences", "(T)", "int32", "ROW_MAJOR"},
    Operand{"starts", "(S)", "int32", "ROW_MAJOR"},
};

/// Positions of operands by their names: "context_lens"_in.
consteval std::size_t operator""_in(const char* name, std::size_t /*size*/) {
    return place_of(kInputs, name);
}
consteval std::size_t operator""_out(const char* name, std::size_t /*size*/) {
    return place_of(kOutputs, name);
}
inline constexpr OpSpec kSpec{
    .name = "token_positions",
    .summary = "position and sequence of each token, from the lengths of ragged sequences",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kExact,
};

/// Returns the op, for the registry. Sequence s has query_lens[s] consecutive tokens and
/// context_lens[s] positions before them. Its token i has position context_lens[s] + i, and
/// starts[s] is the number of its first token. Tokens after the last sequence have position −1 and
/// the last sequence's number. One core makes these tables, which attention, rope and
/// kv_cache_append read.
///
/// Kernels do not read `page_table`. Checks of later ops cannot use positions that this op
/// computes. Therefore this op refuses lengths that exceed the pages of a sequence, or that need a
/// page of −1.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::token_positions
