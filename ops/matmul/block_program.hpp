// SPDX-License-Identifier: Apache-2.0
// The launches that multiply blocks: SingleCore, Multicast2D and Multicast1D.
#pragma once

#include "ops/matmul/blocking.hpp"

namespace tessera::ops::matmul {

/// Tensors must be checked before.
[[nodiscard]] Program make_block_program(const ArchSpec& arch, const Inputs& inputs,
                                         const Outputs& outputs, const MatmulSpec& schedule);

}  // namespace tessera::ops::matmul
