// SPDX-License-Identifier: Apache-2.0
// Arguments of transpose's reader. Its compute kernel and its writer take those of scale.
#pragma once

#include "../../scale/kernels/args.hpp"

namespace tessera::ops::transpose {

NAMED_COMPILE_ARGS(MatrixArgs, row_tiles, column_tiles);  // columns of an input matrix in tiles

}  // namespace tessera::ops::transpose
