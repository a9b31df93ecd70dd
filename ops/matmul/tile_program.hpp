// SPDX-License-Identifier: Apache-2.0
// The launch in which each core reads the operands of its output tiles tile by tile: MultiCore.
#pragma once

#include "ops/matmul/blocking.hpp"

namespace tessera::ops::matmul {

/// Tensors must be checked before.
[[nodiscard]] Program make_tile_program(const ArchSpec& arch, const Inputs& inputs,
                                        const Outputs& outputs, const MatmulSpec& schedule);

}  // namespace tessera::ops::matmul
