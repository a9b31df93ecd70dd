// SPDX-License-Identifier: Apache-2.0
// Activations of experts over rows: of each element, or of a gate times up.
#pragma once

#include <array>

#include "ops/activation/kernels/args.hpp"
#include "ops/op.hpp"
#include "ops/shared/expert_rows/counted_rows.hpp"
#include "tessera/arch_spec.hpp"

namespace tessera::ops {

/// Place of the gate in a row: nowhere, in one half (up in the other), or at even places.
enum class GatePlace : std::uint8_t { None, First, Second, Interleaved };

struct RowActivationSpec {
    ActivationFunction function = ActivationFunction::Silu;
    GatePlace gate = GatePlace::None;
    double alpha = 1.702;  ///< factor of SwigluOai
    double limit = 7.0;
    CountedBy counted_by = CountedBy::Batches;
    GridSize grid;               ///< cores to spread over; 0×0: all that the device offers
    std::uint32_t cb_depth = 2;  ///< units of rows that each CB holds
};

}  // namespace tessera::ops

namespace tessera::config {

template <>
inline constexpr std::array kEnumNames<ops::ActivationFunction>{
    EnumName<ops::ActivationFunction>{"silu", ops::ActivationFunction::Silu},
    EnumName<ops::ActivationFunction>{"gelu", ops::ActivationFunction::Gelu},
    EnumName<ops::ActivationFunction>{"gelu_tanh", ops::ActivationFunction::GeluTanh},
    EnumName<ops::ActivationFunction>{"relu2", ops::ActivationFunction::Relu2},
    EnumName<ops::ActivationFunction>{"sigmoid", ops::ActivationFunction::Sigmoid},
    EnumName<ops::ActivationFunction>{"swigluoai", ops::ActivationFunction::SwigluOai},
};
template <>
inline constexpr std::array kEnumNames<ops::GatePlace>{
    EnumName<ops::GatePlace>{"none", ops::GatePlace::None},
    EnumName<ops::GatePlace>{"first", ops::GatePlace::First},
    EnumName<ops::GatePlace>{"second", ops::GatePlace::Second},
    EnumName<ops::GatePlace>{"interleaved", ops::GatePlace::Interleaved},
};

}  // namespace tessera::config

namespace tessera::ops::activation {

inline constexpr std::array<std::string_view, 6> kSchedules{"silu",  "gelu",    "gelu_tanh",
                                                            "relu2", "sigmoid", "swigluoai"};
inline constexpr std::array kInputs{
    Operand{"input", "(..., G)", "bfloat16", "ROW_MAJOR"},
    Operand{.name = "counts",
            .shape = "any",
            .format = "int32 | uint32",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
};
inline constexpr std::array kOutputs{
    Operand{"output", "(..., N)", "bfloat16 | float32", "ROW_MAJOR"}};

/// Positions of operands by their names: "input"_in.
consteval std::size_t operator""_in(const char* name, std::size_t /*size*/) {
    return place_of(kInputs, name);
}
/// One rounding to bfloat16 is at most 2^-8 = 0.0039 of the element; the rest is for functions in
/// fp32.
inline constexpr OpSpec kSpec{
    .name = "activation",
    .summary = "an expert's activation of rows, of single elements or of a gate times up",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = {.max_relative_error = 0.005, .min_pcc = 0.99999, .floor = kElementWise},
};

/// Returns the op, for the registry: f(x) of every element, or f(gate) · up with half as many
/// columns.
///
/// Shapes   with `counts` only some rows are read and written. Counts (B) or (B,1) are of batches:
///          the first counts[b] rows of each of B equal batches. Counts by presence have an entry
///          per row; rows whose entry is not −1 count.
/// Numeric  fp32 in the vector unit, rounded once when it is packed (not at all to float32, which a
///          run may request).
///
/// Rows are distributed over the cores by split_work_to_cores and are processed as tiles of 1024
/// elements, with several short rows in one tile. The reader's core separates, element by element,
/// halves that are not aligned for DRAM and gates interleaved with ups.
/// Source   vLLM, SiluAndMul, GeluAndMul and SwigluOAIAndMul.
[[nodiscard]] const Op& op();

/// Computes one row by plain arithmetic in double.
/// Shapes   in: 2N with a gate, else N; out: N.
void apply_to_row(const RowActivationSpec& spec, std::span<const float> in, std::span<float> out);

}  // namespace tessera::ops::activation
