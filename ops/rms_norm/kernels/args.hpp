// SPDX-License-Identifier: Apache-2.0
// Arguments of rms_norm's compute kernel beside those of row_strips.
#pragma once

#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::rms_norm {

NAMED_COMPILE_ARGS(ComputeArgs,  // bits of floats
                   reciprocal,   // of the number of columns
                   epsilon);

}  // namespace tessera::ops::rms_norm
