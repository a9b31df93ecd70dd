// SPDX-License-Identifier: Apache-2.0
// Writes rows of new tokens into the pages of a cache.
#pragma once

#include <array>

#include "ops/op.hpp"
#include "ops/shared/schedule_fields.hpp"

namespace tessera::ops::kv_cache_append {

struct AppendSpec : CopySpec {
    std::uint32_t page_size = 32;  ///< positions of a page
};

inline constexpr std::array<std::string_view, 1> kSchedules{"multi_core"};
inline constexpr std::array kInputs{
    Operand{"rows", "(..., A)", "any", "ROW_MAJOR"},
    Operand{"cache", "any", "=rows", "ROW_MAJOR"},
    Operand{"page_table", "(S, N)", "int32", "ROW_MAJOR"},
    Operand{"positions", "any", "int32", "ROW_MAJOR"},
    Operand{.name = "more",
            .shape = "(..., B)",
            .format = "=rows",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
    Operand{.name = "sequences",
            .shape = "any",
            .format = "int32",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
};
inline constexpr std::array kOutputs{Operand{"output", "any", "=rows", "ROW_MAJOR"}};

/// Positions of operands by their names: "rows"_in.
consteval std::size_t operator""_in(const char* name, std::size_t /*size*/) {
    return place_of(kInputs, name);
}
inline constexpr OpSpec kSpec{
    .name = "kv_cache_append",
    .summary = "writes rows of new tokens into the pages of their sequences",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kExact,
};

/// Returns the op, for the registry: the row of token t, and of `more`, becomes the cache row at
/// the token's position. The output must be the cache itself, whose other rows are unchanged.
/// Tokens of one sequence are consecutive, equally many per sequence, unless `sequences` names the
/// sequence of each token. A position of −1 is skipped. A decode step appends one token per
/// sequence, a prefill all tokens of a prompt. An fp8 cache has its codes and their scales as
/// separate tensors. A row of the cache's tensor is one position or one page.
///
/// With several rows per token (heads of keys, or of values) a position of the cache has as many
/// rows. A row of the cache's tensor is then a head, a position or a page. Entries of
/// the page table that no token of the step needs may be −1.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::kv_cache_append
