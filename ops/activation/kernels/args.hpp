// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers of activation's kernels.
#pragma once

#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops {

/// SwigluOai is (up + 1) · gate · sigmoid(α · gate), with gate clamped to at most the limit and up
/// to ±limit. GeluTanh is the form with tanh, Gelu the one with erf.
enum class ActivationFunction : std::uint8_t { Silu, Gelu, GeluTanh, Relu2, Sigmoid, SwigluOai };

}  // namespace tessera::ops

namespace tessera::ops::activation {

enum class Cb : std::uint32_t {
    Gate = 0,
    Up = 1,
    Units = 2,  // how many of the core's units have rows
    ReaderCounts = 3,
    WriterCounts = 4,
    WholeRow = 5,
    Output = 16
};

/// How the reader reads the two halves of a row: no halves; each half by itself, with the gate
/// first or second; or separated from a row that is read whole.
enum class Halves : std::uint32_t { None, First, Second, Interleaved, FirstApart, SecondApart };

// Rows go through a core as tiles of 1024 consecutive elements, several short ones in one.
NAMED_COMPILE_ARGS(UnitArgs,
                   row_bytes,   // bytes of N elements
                   row_stride,  // in L1
                   unit_rows, unit_tiles);
NAMED_COMPILE_ARGS(ReaderArgs, halves);  // Halves
NAMED_TENSORS(ReaderTensors, input, counts);
NAMED_TENSORS(WriterTensors, output, counts);
// Units first_unit, first_unit + step, … of a core.
NAMED_RUNTIME_ARGS(UnitRange, first_unit, num_units, step);

NAMED_COMPILE_ARGS(ComputeArgs,
                   function,  // ActivationFunction
                   unit_tiles,
                   alpha_bits,  // fp32; this and the limits are of swigluoai
                   limit_bits, negative_limit_bits, has_gate);

}  // namespace tessera::ops::activation
