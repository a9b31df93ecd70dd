// SPDX-License-Identifier: Apache-2.0
// The router's gate: token rows times the transpose of its weights, with fp32 logits.
#pragma once

#include <array>

#include "ops/op.hpp"
#include "ops/shared/schedule_fields.hpp"

namespace tessera::ops::gate_linear {

struct GateSpec : CopySpec {
    std::uint32_t split_k = 0;  ///< cores that share K of a unit; 0: chosen by the shape
};

inline constexpr std::array<std::string_view, 1> kSchedules{"multi_core"};
inline constexpr std::array kInputs{
    Operand{"hidden_states", "(T, H)", "bfloat16", "ROW_MAJOR"},
    Operand{"weight", "(E, H)", "bfloat16", "ROW_MAJOR"},
    Operand{.name = "bias",
            .shape = "(E)",
            .format = "bfloat16 | float32",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
};
inline constexpr std::array kOutputs{Operand{"logits", "(T, E)", "float32", "ROW_MAJOR"}};

/// Positions of operands by their names: "hidden_states"_in.
consteval std::size_t operator""_in(const char* name, std::size_t /*size*/) {
    return place_of(kInputs, name);
}
/// Sums of H products in fp32, without a rounding of the result. Rounded to bfloat16, as in the
/// first code of DeepSeek-V3, some tokens choose other experts.
inline constexpr OpSpec kSpec{
    .name = "gate_linear",
    .summary =
        "router logits: token rows times the transpose of the gate's weights, plus a bias, in "
        "fp32",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = {.max_relative_error = 1e-4, .min_pcc = 0.999999},
};

/// Returns the op, for the registry: units of 32 tokens and 32 experts are distributed over the
/// cores by split_work_to_cores. Each core tiles its rows of both operands over all of H, which
/// must fit in its L1, and multiplies with the second one transposed. A bias, as
/// the linear router of gpt-oss has, is part of the sum: one more column of K, not rounded. If
/// there are fewer units than cores, `split_k` cores share K of a unit, and the first of them adds
/// their sums in fp32.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::gate_linear
