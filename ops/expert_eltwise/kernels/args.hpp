// SPDX-License-Identifier: Apache-2.0
// Arguments of expert_eltwise's reader; the others are those of valid_tiles.
#pragma once

#include "../../shared/valid_tiles/kernels/args.hpp"

namespace tessera::ops::expert_eltwise {

NAMED_COMPILE_ARGS(ReaderArgs, num_inputs);  // 1 or 2
NAMED_TENSORS(ReaderTensors, counts, input, second_input);
// After the addresses: valid_tiles' HostBlocks or CoreOfGrid.

}  // namespace tessera::ops::expert_eltwise
