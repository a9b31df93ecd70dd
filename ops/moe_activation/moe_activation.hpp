// SPDX-License-Identifier: Apache-2.0
// The activation between an expert's two products, of rows, with or without a gate.
#pragma once

#include <array>

#include "ops/op.hpp"

namespace tessera::ops::moe_activation {

enum class Function : std::uint8_t {
    Silu,       ///< silu(gate) · up
    Gelu,       ///< gelu(gate) · up, gelu by erf
    SwigluOai,  ///< (up + 1) · gate · sigmoid(α·gate), gate held to ≤ limit, up to ±limit
    SiluNoMul,
    GeluNoMul,
    Relu2NoMul,
};

/// Where the gate stands in a row of 2N.
enum class Gate : std::uint8_t { Default, First, Second, Interleaved };

/// What the operand `counts` says.
enum class CountedBy : std::uint8_t { Batches, Presence };

struct MoeActivationSpec {
    Function function = Function::Silu;
    Gate gate = Gate::Default;
    double alpha = 1.702;  ///< of SwigluOai
    double limit = 7.0;
    CountedBy counted_by = CountedBy::Batches;
    GridSize grid;               ///< cores to spread over; 0×0: all that the device offers
    std::uint32_t cb_depth = 0;  ///< units of rows that each CB holds

    [[nodiscard]] bool is_gated() const {
        return function == Function::Silu || function == Function::Gelu ||
               function == Function::SwigluOai;
    }
    /// Interleaved for SwigluOai, else the first half, unless said otherwise.
    [[nodiscard]] Gate gate_place() const {
        return gate != Gate::Default             ? gate
               : function == Function::SwigluOai ? Gate::Interleaved
                                                 : Gate::First;
    }
};

inline constexpr std::array<std::string_view, 1> kSchedules{"multi_core"};
inline constexpr std::array kInputs{
    Operand{"input", "(..., G)", "bfloat16", "ROW_MAJOR"},
    Operand{.name = "counts",
            .shape = "any",
            .format = "int32 | uint32",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
};
inline constexpr std::array kOutputs{Operand{"output", "(..., N)", "bfloat16", "ROW_MAJOR"}};
/// One rounding to bfloat16 is at most 2^-8 of the element; the rest is for fp32 functions.
inline constexpr OpSpec kSpec{
    .name = "moe_activation",
    .summary = "activation between an expert's products, of rows, with or without a gate",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = {.max_relative_error = 0.005, .min_pcc = 0.99999},
};

/// The op, for the registry.
///
/// Shapes   rows of 2N elements, gate and up, give N; without a gate N give N. With `counts`
///          only some rows are read and written: (B) or (B,1) Batches, of B equal batches the first
///          counts[b] rows each; Presence, of as many entries as rows, those that are not −1.
/// Numeric  fp32 in the vector unit, one rounding to bfloat16 at the end.
///
/// Rows are dealt to the cores by split_work_to_cores and go through them as tiles of 1024
/// elements, several short rows in one. Halves that do not lie at DRAM's alignment, and gates
/// between ups, are parted by the reader's core, element by element. Source   vLLM,
/// layers/activation.py.
[[nodiscard]] const Op& op();

/// One row by plain arithmetic in double.
/// Shapes   in: 2N with a gate, else N; out: N.
void apply_to_row(const MoeActivationSpec& spec, std::span<const float> in, std::span<float> out);

}  // namespace tessera::ops::moe_activation

namespace tessera::config {

template <>
inline constexpr std::array kEnumNames<ops::moe_activation::Function>{
    EnumName<ops::moe_activation::Function>{"silu", ops::moe_activation::Function::Silu},
    EnumName<ops::moe_activation::Function>{"gelu", ops::moe_activation::Function::Gelu},
    EnumName<ops::moe_activation::Function>{"swigluoai", ops::moe_activation::Function::SwigluOai},
    EnumName<ops::moe_activation::Function>{"silu_no_mul",
                                            ops::moe_activation::Function::SiluNoMul},
    EnumName<ops::moe_activation::Function>{"gelu_no_mul",
                                            ops::moe_activation::Function::GeluNoMul},
    EnumName<ops::moe_activation::Function>{"relu2_no_mul",
                                            ops::moe_activation::Function::Relu2NoMul},
};
template <>
inline constexpr std::array kEnumNames<ops::moe_activation::Gate>{
    EnumName<ops::moe_activation::Gate>{"default", ops::moe_activation::Gate::Default},
    EnumName<ops::moe_activation::Gate>{"first", ops::moe_activation::Gate::First},
    EnumName<ops::moe_activation::Gate>{"second", ops::moe_activation::Gate::Second},
    EnumName<ops::moe_activation::Gate>{"interleaved", ops::moe_activation::Gate::Interleaved},
};

template <>
inline constexpr std::array kEnumNames<ops::moe_activation::CountedBy>{
    EnumName<ops::moe_activation::CountedBy>{"batches", ops::moe_activation::CountedBy::Batches},
    EnumName<ops::moe_activation::CountedBy>{"presence", ops::moe_activation::CountedBy::Presence},
};

}  // namespace tessera::config
