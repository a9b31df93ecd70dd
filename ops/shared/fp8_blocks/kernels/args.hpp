// SPDX-License-Identifier: Apache-2.0
// Codes that kernels and host programs of quantisations share.
#pragma once

#include <cstdint>

#include "../../kernels/named_args.hpp"

namespace tessera::ops {

/// Rule that computes the scale of a block from its largest magnitude. The bits of a code depend on
/// the rule, because each rule divides, multiplies or clamps in its own way.
///   Trtllm          max(amax / 448, least normal float); TRT-LLM's activationDeepSeekKernel
///   Dsv3            max(amax, 1e-4) / 448; DeepSeek-V3 inference/kernel.py
///   Dsv32           max(amax, 1e-4) · (1/448); DeepSeek-V3.2
///   Ue8m0           2^ceil(log2 of the same); DeepSeek-V3.2 with scales of powers of two
///   FlashinferTest  amax / 448, 1 for a block of zeros; also for weights
///   PerToken        max(amax / 448, 1 / (448·512)), codes of x · (1/scale); vLLM
enum class ScaleRule : std::uint32_t { Trtllm, Dsv3, Dsv32, Ue8m0, FlashinferTest, PerToken };
namespace fp8 {

/// Byte of the number 0 when integers with a sign travel as bytes without one.
inline constexpr std::uint32_t kByteZero = 128;

/// Conversion of elements to codes.
enum class CodeForm : std::uint32_t {
    Divide,    // by the scale
    Multiply,  // by its reciprocal, or to take a scale back
    Round,     // divide, and round to the nearest integer, ties to even
    Bytes,     // the same plus kByteZero, as uint8
};

/// A core of a grid whose cores compute their own shares of the units.
NAMED_RUNTIME_ARGS(CoreIndex, core, num_cores);

// Arguments of fp8_dequantise's writer, which also stores the strips of row_strips: groups of 32
// rows.
NAMED_RUNTIME_ARGS(GroupRange, first_group, num_groups);
NAMED_COMPILE_ARGS(StripWriterArgs, rows, columns, element_bytes);
NAMED_TENSORS(StripWriterTensors, output);

}  // namespace fp8

}  // namespace tessera::ops
