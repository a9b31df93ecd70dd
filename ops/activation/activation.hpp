// SPDX-License-Identifier: Apache-2.0
// Activations of experts over rows: of each element, or of a gate times up.
#pragma once

#include <array>

#include "emu/base/fields/enum_names.hpp"
#include "ops/op.hpp"
#include "tessera/arch_spec.hpp"

namespace tessera::ops {

/// SwigluOai is (up + 1) · gate · sigmoid(1.702 · gate), the gate cut at 7 from above, up at both
/// sides; GeluTanh is the form with tanh, Gelu the one with erf.
enum class ActivationFunction : std::uint8_t { Silu, Gelu, GeluTanh, Relu2, Sigmoid, SwigluOai };

/// Where in a row the gate stands: nowhere, in one half (up in the other), or at even places.
enum class GatePlace : std::uint8_t { None, First, Second, Interleaved };

struct RowActivationSpec {
    ActivationFunction function = ActivationFunction::Silu;
    GatePlace gate = GatePlace::None;
    GridSize grid;  ///< cores to spread over; 0×0: all that the device offers
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
inline constexpr std::array kInputs{Operand{"input", "(..., N)", "bfloat16", "ROW_MAJOR"}};
inline constexpr std::array kOutputs{
    Operand{"output", "(..., M)", "bfloat16 | float32", "ROW_MAJOR"}};
/// One rounding to bfloat16 is at most 2^-8 = 0.0039 of the element.
inline constexpr OpSpec kSpec{
    .name = "activation",
    .summary = "an expert's activation of rows, of single elements or of a gate times up",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = {.max_relative_error = 0.004, .min_pcc = 0.99999},
};

/// The op, for the registry: f(x) of every element, or f(gate) · up with half as many columns.
/// All of it is fp32 in DST, rounded once when it is packed (not at all to float32, which a run may
/// ask for). Groups of 32 rows are dealt to the cores by split_work_to_cores; the reader sorts gate
/// and up apart in L1 in scalar code, which costs nothing in a prediction.
/// Source   vLLM, SiluAndMul, GeluAndMul and SwigluOAIAndMul.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::activation
