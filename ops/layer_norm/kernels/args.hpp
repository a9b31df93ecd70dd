// SPDX-License-Identifier: Apache-2.0
// Arguments of layer_norm's compute kernel beside those of row_strips.
#pragma once

#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::layer_norm {

NAMED_COMPILE_ARGS(ComputeArgs,  // bits of floats
                   reciprocal,   // of the number of columns
                   padding,      // columns of zeros after the last; 0: none
                   epsilon);

}  // namespace tessera::ops::layer_norm
