// SPDX-License-Identifier: Apache-2.0
// Runtime arguments of the two ends of a handshake of blocks (block_handshake.hpp).
#pragma once

#include "named_args.hpp"

namespace tessera::ops {

NAMED_RUNTIME_ARGS(BlockSenderArgs, start_x, start_y, end_x, end_y,  // corners in the NoC's order
                   num_receivers,
                   num_replies,  // receivers that reply
                   replies_semaphore, flag_semaphore,
                   flushes);  // 1: waits until a block has left
NAMED_RUNTIME_ARGS(BlockReceiverArgs, sender_x, sender_y, replies_semaphore, flag_semaphore);

}  // namespace tessera::ops
