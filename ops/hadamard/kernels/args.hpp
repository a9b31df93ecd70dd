// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers of hadamard's kernels, in addition to those of row_strips.
#pragma once

#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::hadamard {

enum class Cb : std::uint32_t { Matrix = 2 };  // a strip of tiles for each tile of K

NAMED_COMPILE_ARGS(ComputeArgs, factor);  // factor of the matrix of ±1, bits of a float

}  // namespace tessera::ops::hadamard
