// SPDX-License-Identifier: Apache-2.0
// A function of one or two tensors, element by element, tile by tile.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "ops/op_spec.hpp"
#include "tessera/eltwise_spec.hpp"
#include "tessera/program.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops::eltwise {

inline constexpr std::array<std::string_view, 1> kSchedules{"multi_core"};
inline constexpr std::array kInputs{
    Operand{"a", "any", "bfloat16 | bfp8_b | float32", "TILE"},
    Operand{"b", "as a; of functions of two", "as a", "TILE"},
};
inline constexpr std::array kOutputs{
    Operand{"output", "as a", "bfloat16 | bfp8_b | float32", "TILE"}};
/// Functions are exact but for single ULPs; one rounding to bfloat16 in DST, which a 16-bit DST
/// repeats for products, is at most 2^-8 of the element, and packing rounds once more.
inline constexpr OpSpec kSpec{
    .name = "eltwise",
    .summary = "a function of each element of one tensor, or of each pair of elements of two",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = {.max_relative_error = 1.0 / 64, .min_pcc = 0.9999},
};

/// The function's name as YAML has it: "add", "exp".
[[nodiscard]] std::string_view name_of(EltwiseFunction function) noexcept;

/// Elements for which a function is finite.
enum class Domain : std::uint8_t { All, NotZero, Positive };
/// Of the last input; the first of two may be anything.
[[nodiscard]] Domain domain_of(EltwiseFunction function) noexcept;

/// One input, or two of the same spec.
struct Inputs {
    std::vector<const DeviceTensor*> tensors;
};
struct Outputs {
    const DeviceTensor& output;  ///< shape and layout of the inputs, any of the formats
};

/// Builds the launch: tiles are dealt to the cores by split_work_to_cores in contiguous ranges;
/// each core reads `tiles_per_push` tiles of every input, one barrier a push (what is left at the
/// end a tile at a time), computes tile by tile, and writes.
///
/// Numeric  add, sub and mul of bfloat16 and bfp8_b in the matrix unit, all else in the vector
///          unit. Float32 goes to DST unrounded.
/// Errors   UsageError if tensors are not interleaved TILE tensors of one shape, in formats other
///          than above, if their number is not the function's, if float32 meets a 16-bit DST, or if
///          the schedule has a 0, exceeds the device's grid, or its buffers the L1.
/// Source   TTNN's unary and binary program factories.
[[nodiscard]] Program make_program(const ArchSpec& arch, EltwiseFunction function,
                                   const Inputs& inputs, const Outputs& outputs,
                                   const EltwiseSpec& schedule);

/// Float32 of what the function gives for bfloat16 or float32 inputs, computed in double.
[[nodiscard]] HostTensor reference(EltwiseFunction function,
                                   const std::vector<const HostTensor*>& inputs);

}  // namespace tessera::ops::eltwise
