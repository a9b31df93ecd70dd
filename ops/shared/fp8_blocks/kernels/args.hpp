// SPDX-License-Identifier: Apache-2.0
// Codes that kernels and host programs of quantisations share.
#pragma once

#include <cstdint>

#include "../../kernels/named_args.hpp"

namespace tessera::ops {

/// How the scale of a block follows from its largest magnitude. Which of them a code was made with
/// shows in its bits: each divides, multiplies or bounds in its own way.
///   Trtllm          max(amax / 448, least normal float); TRT-LLM's activationDeepSeekKernel
///   Dsv3            max(amax, 1e-4) / 448; DeepSeek-V3 inference/kernel.py
///   Dsv32           max(amax, 1e-4) · (1/448); DeepSeek-V3.2
///   Ue8m0           2^ceil(log2 of the same); DeepSeek-V3.2 with scales of powers of two
///   FlashinferTest  amax / 448, 1 of a block of zeros; also of weights
///   PerToken        max(amax / 448, 1 / (448·512)), codes of x · (1/scale); vLLM
enum class ScaleRule : std::uint32_t { Trtllm, Dsv3, Dsv32, Ue8m0, FlashinferTest, PerToken };
namespace fp8 {

/// How codes are made of elements.
enum class CodeForm : std::uint32_t {
    Divide,    // by the scale
    Multiply,  // by its reciprocal, or to take a scale back
    Round,     // divide, and round to the nearest integer, ties to even
};

/// A core of a grid whose cores work out their shares of the units by themselves.
NAMED_RUNTIME_ARGS(CoreIndex, core, num_cores);

// Arguments of fp8_dequantise's writer, which also stores the strips of row_strips: groups of 32
// rows.
NAMED_RUNTIME_ARGS(GroupRange, first_group, num_groups);
NAMED_COMPILE_ARGS(StripWriterArgs, rows, columns, element_bytes);
NAMED_TENSORS(StripWriterTensors, output);

}  // namespace fp8

}  // namespace tessera::ops
