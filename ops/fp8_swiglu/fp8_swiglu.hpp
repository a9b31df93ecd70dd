// SPDX-License-Identifier: Apache-2.0
// The activation between the two products of the FP8 pipeline: dequantise, SwiGLU, requantise.
#pragma once

#include <array>

#include "emu/base/fields/enum_names.hpp"
#include "ops/op.hpp"
#include "ops/shared/fp8_blocks/fp8_blocks.hpp"
#include "tessera/arch_spec.hpp"

namespace tessera::ops {

/// Half of the columns that is the gate; the other half is up.
enum class GateHalf : std::uint8_t { First, Second };

struct SwigluSpec {
    std::uint32_t tile = 8;  ///< tokens of a CTA, as in moe_permutation
    GateHalf gate_half = GateHalf::Second;
    DataFormat output = DataFormat::Fp8_e4m3;
    GridSize grid;               ///< cores to spread over; 0×0: all that the device offers
    std::uint32_t cb_depth = 2;  ///< strips of 32 rows and 128 columns that a CB holds
};

}  // namespace tessera::ops

namespace tessera::config {

template <>
inline constexpr std::array kEnumNames<ops::GateHalf>{
    EnumName<ops::GateHalf>{"first", ops::GateHalf::First},
    EnumName<ops::GateHalf>{"second", ops::GateHalf::Second},
};

}  // namespace tessera::config

namespace tessera::ops::fp8_swiglu {

inline constexpr std::array<std::string_view, 1> kSchedules{"multi_core"};
inline constexpr std::array kInputs{
    Operand{"input", "(P, N)", "fp8_e4m3", "ROW_MAJOR"},
    Operand{"input_scale", "(N/128, P)", "float32", "ROW_MAJOR"},
    Operand{"cta_idx_xy_to_mn_limit", "(C)", "int32", "ROW_MAJOR"},
    Operand{"num_non_exiting_ctas", "(1)", "int32", "ROW_MAJOR"},
};
inline constexpr std::array kOutputs{
    Operand{"output", "(P, I)", "fp8_e4m3 | float32", "ROW_MAJOR"},
    Operand{.name = "output_scale",
            .shape = "(I/128, P)",
            .format = "float32",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
};

/// Positions of operands by their names: "input"_in.
consteval std::size_t operator""_in(const char* name, std::size_t /*size*/) {
    return place_of(kInputs, name);
}
consteval std::size_t operator""_out(const char* name, std::size_t /*size*/) {
    return place_of(kOutputs, name);
}
inline constexpr OpSpec kSpec{
    .name = "fp8_swiglu",
    .summary = "silu(gate) * up of fp8 rows with block scales, as fp8 again",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = fp8::kOneCode,
};

/// Returns the op, for the registry.
///
/// x = input · its scale in fp32, with N = 2·I columns; y = silu(x of the gate's half) · x of the
/// other half. The output holds codes of y, with a scale of ScaleRule::Trtllm for each row and 128
/// columns, or y itself with output float32. Only permuted rows that hold a token are written.
/// A strip of 32 rows and 128 columns is the unit of work; it has the rows of several CTAs if a CTA
/// has fewer, as the vector unit takes as long for eight rows as for 32.
/// TRT-LLM's kernel has the gate in the second half, as flashinfer's references do; descriptions of
/// it say the first.
/// Source   TRT-LLM, activationDeepSeekKernel.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::fp8_swiglu
