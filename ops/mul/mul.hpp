// SPDX-License-Identifier: Apache-2.0
// The product gate_activated * up of each expert's routed tokens, element by element.
#pragma once

#include <array>

#include "ops/shared/valid_tiles/eltwise.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/program.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops::mul {

inline constexpr std::array<std::string_view, 1> kSchedules{"separate"};
inline constexpr std::array kInputs{
    Operand{"gate_activated", "(E/D, T, H')", "bfloat16", "TILE", "num_routed_tokens"},
    Operand{"up", "(E/D, T, H')", "bfloat16", "TILE", "num_routed_tokens"},
    Operand{.name = "num_routed_tokens",
            .shape = "(E/D, 1)",
            .format = "uint32",
            .layout = "ROW_MAJOR",
            .host_read = HostRead::Yes},
};
inline constexpr std::array kOutputs{
    Operand{"output", "(E/D, T, H')", "bfloat16", "TILE", "num_routed_tokens"}};
/// Products are exact; one rounding to bfloat16 is at most 2^-8 of the element.
inline constexpr OpSpec kSpec{
    .name = "mul",
    .summary = "gate_activated * up of routed tokens; other rows are zero",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = {.max_relative_error = 1.0 / 256, .min_pcc = 0.99999, .floor = kElementWise},
};

/// The op, for the registry.
[[nodiscard]] const Op& op();

struct Inputs {
    const DeviceTensor& gate_activated;
    const DeviceTensor& up;
    RoutedTokens num_routed_tokens;
};
struct Outputs {
    const DeviceTensor& output;
};

/// Builds the launch over the tiles that hold routed tokens, spread over the grid by
/// split_work_to_cores in contiguous ranges; all other tiles, and rows behind the last token of an
/// expert, become zero.
/// Numeric  the matrix unit's product, rounded to bfloat16 once when packed.
/// Errors   UsageError if the contract or a rule of the op does not hold, or counts do not fit.
[[nodiscard]] Program make_program(const ArchSpec& arch, const Inputs& inputs,
                                   const Outputs& outputs, const ActivationSpec& schedule);

/// Float32 products computed in double; zero beyond each expert's tokens.
[[nodiscard]] HostTensor reference(const HostTensor& gate_activated, const HostTensor& up,
                                   std::span<const std::uint32_t> num_routed_tokens);

}  // namespace tessera::ops::mul
