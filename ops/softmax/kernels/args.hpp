// SPDX-License-Identifier: Apache-2.0
// Arguments of softmax's compute kernel, in addition to those of row_strips.
#pragma once

#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::softmax {

NAMED_COMPILE_ARGS(ComputeArgs, scale);  // bits of a float

}  // namespace tessera::ops::softmax
