// SPDX-License-Identifier: Apache-2.0
// Positions of the tokens of ragged sequences.
#pragma once

#include <array>

#include "ops/op.hpp"

namespace tessera::ops::token_positions {

struct PositionsSpec {
    std::uint32_t tokens = 1;  ///< rows of all sequences; those behind the last are padding
};

inline constexpr std::array<std::string_view, 1> kSchedules{"single_core"};
inline constexpr std::array kInputs{
    Operand{"context_lens", "(S)", "int32", "ROW_MAJOR"},
    Operand{"query_lens", "(S)", "int32", "ROW_MAJOR"},
};
inline constexpr std::array kOutputs{
    Operand{"positions", "(T)", "int32", "ROW_MAJOR"},
    Operand{"sequences", "(T)", "int32", "ROW_MAJOR"},
    Operand{"starts", "(S)", "int32", "ROW_MAJOR"},
};
inline constexpr OpSpec kSpec{
    .name = "token_positions",
    .summary = "position and sequence of each token, from the lengths of ragged sequences",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kExact,
};

/// The op, for the registry: sequence s has query_lens[s] tokens, one behind the other, and
/// context_lens[s] positions before them. Its token i has position context_lens[s] + i, and starts[s]
/// is the number of its first token. Tokens behind the last sequence have position −1 and the last
/// sequence's number. One core makes these tables, which attention, rope and kv_cache_append read.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::token_positions
