// SPDX-License-Identifier: Apache-2.0
// silu and mul fused: silu(gate) * up of each expert's routed tokens in one pass.
#pragma once

#include <array>

#include "ops/shared/valid_tiles/eltwise.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/program.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops::silu_mul {

inline constexpr std::array<std::string_view, 1> kSchedules{"fused"};
inline constexpr std::array kInputs{
    Operand{"gate", "(E/D, T, H')", "bfloat16", "TILE", "num_routed_tokens"},
    Operand{"up", "(E/D, T, H')", "bfloat16", "TILE", "num_routed_tokens"},
    Operand{.name = "num_routed_tokens",
            .shape = "(E/D, 1)",
            .format = "uint32",
            .layout = "ROW_MAJOR",
            .host_read = HostRead::Yes},
};
inline constexpr std::array kOutputs{
    Operand{"output", "(E/D, T, H')", "bfloat16", "TILE", "num_routed_tokens"}};
/// One rounding to bfloat16 is at most 2^-8 = 0.0039 of the element; the rest is for the vector
/// unit's functions in fp32.
inline constexpr OpSpec kSpec{
    .name = "silu_mul",
    .summary = "silu(gate) * up of routed tokens in one pass; other rows are zero",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = {.max_relative_error = 0.004, .min_pcc = 0.99999, .floor = kElementWise},
};

/// The op, for the registry.
[[nodiscard]] const Op& op();

struct Inputs {
    const DeviceTensor& gate;
    const DeviceTensor& up;
    RoutedTokens num_routed_tokens;
};
struct Outputs {
    const DeviceTensor& output;
};

/// Builds the launch over the tiles that hold routed tokens, spread over the grid by
/// split_work_to_cores in contiguous ranges; all other tiles, and rows behind the last token of an
/// expert, become zero.
/// Numeric  silu(gate) stays in DST for the product: one rounding to bfloat16. silu followed by
///          mul rounds twice.
/// Errors   UsageError if the contract or a rule of the op does not hold, or counts do not fit.
[[nodiscard]] Program make_program(const ArchSpec& arch, const Inputs& inputs,
                                   const Outputs& outputs, const ActivationSpec& schedule);

/// Float32 silu(gate) * up computed in double; zero beyond each expert's tokens.
[[nodiscard]] HostTensor reference(const HostTensor& gate, const HostTensor& up,
                                   std::span<const std::uint32_t> num_routed_tokens);

}  // namespace tessera::ops::silu_mul
