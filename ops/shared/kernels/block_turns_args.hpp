// SPDX-License-Identifier: Apache-2.0
// Runtime arguments of a line of cores that send blocks to each other in turn (block_turns.hpp).
#pragma once

#include "named_args.hpp"

namespace tessera::ops {

NAMED_RUNTIME_ARGS(BlockTurnsArgs, start_x, start_y, end_x, end_y,  // corners in the NoC's order
                   first_x, first_y,                                // the core whose position is 0
                   step_x, step_y,  // to the core of the next position
                   num_cores, position, replies_semaphore, flag_semaphore, valid_semaphore);

}  // namespace tessera::ops
