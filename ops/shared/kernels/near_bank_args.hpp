// SPDX-License-Identifier: Apache-2.0
// Arguments of kernels of products whose readers are next to their DRAM bank.
#pragma once

#include "named_args.hpp"

namespace tessera::ops {

// Sums have slots, whose semaphores count the members of a team that have sent or finished them.
// The others count cores with room for rows, and parts of rows that have arrived.
NAMED_RUNTIME_ARGS(NearSemaphores, rows_free, arrived_0, arrived_1, arrived_2, arrived_3, sent_0,
                   sent_1, sent_2, finished_0, finished_1, finished_2);
// The cores that rows are sent to.
NAMED_RUNTIME_ARGS(NearRectangle, start_x, start_y, end_x, end_y, num_receivers);
NAMED_RUNTIME_ARGS(NearPlace, x, y);  // of a core

}  // namespace tessera::ops
