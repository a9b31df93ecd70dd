// SPDX-License-Identifier: Apache-2.0
// Multiplies each expert's tokens by its weights, one output tile at a time; replaces moe_bmm.
#pragma once

#include <array>

#include "ops/op.hpp"

namespace tessera::ops::my_bmm {

inline constexpr std::array<std::string_view, 1> kSchedules{"multi_core"};
inline constexpr std::array kInputs{
    Operand{.name = "input",
            .shape = "(E/D, T, H_in)",
            .format = "bfloat16",
            .layout = "TILE",
            .valid_rows = "counts"},
    Operand{
        .name = "weights", .shape = "(E/D, H_in, H_out)", .format = "bfloat16", .layout = "TILE"},
    Operand{.name = "counts",
            .shape = "(E/D, 1)",
            .format = "uint32",
            .layout = "ROW_MAJOR",
            .host_read = HostRead::Yes},
};
inline constexpr std::array kOutputs{Operand{.name = "output",
                                             .shape = "(E/D, T, H_out)",
                                             .format = "bfloat16",
                                             .layout = "TILE",
                                             .valid_rows = "counts"}};

/// Positions of operands by their names: "input"_in.
consteval std::size_t operator""_in(const char* name, std::size_t /*size*/) {
    return place_of(kInputs, name);
}
/// One rounding to bfloat16 is at most 2^-8 = 0.0039 of the element; the rest is for fp32 sums.
inline constexpr OpSpec kSpec{
    .name = "my_bmm",
    .summary = "each expert's tokens times its weights, an output tile at a time",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = {.max_relative_error = 0.004, .min_pcc = 0.99999},
};

struct MyBmmSpec {
    std::uint32_t cb_depth = 0;  ///< tiles that each input CB holds
};

[[nodiscard]] const Op& op();

}  // namespace tessera::ops::my_bmm
