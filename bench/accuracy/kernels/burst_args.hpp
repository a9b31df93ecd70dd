// SPDX-License-Identifier: Apache-2.0
// Arguments of kernels that repeat a transfer, which their programs share. Addresses are in L1.
#pragma once

#include "../../../ops/shared/kernels/named_args.hpp"

namespace tessera::score {

NAMED_COMPILE_ARGS(WriteBurstArgs, source, destination, count, bytes,
                   packet_with_state,  // bytes of a packet; 0: whole commands
                   num_destinations);
NAMED_COMPILE_ARGS(ReadBurstArgs, source, destination,
                   count,  // reads per source
                   bytes, with_state, num_sources, in_turn);
NAMED_COMPILE_ARGS(MulticastBurstArgs, source, destination, count, bytes, num_receivers,
                   includes_sender, is_linked, start_x, start_y, end_x, end_y);
NAMED_COMPILE_ARGS(SingleTransfersArgs, is_read, source, destination, count, bytes, x, y);

NAMED_COMPILE_ARGS(BankReadArgs, landing, count, bytes,
                   depth,  // 0: no transaction ids
                   per_barrier, same_address, coordinator);
NAMED_COMPILE_ARGS(BankWriteArgs, source, count, bytes, coordinator);
NAMED_RUNTIME_ARGS(BankPlace, bank, address);

NAMED_COMPILE_ARGS(PageReadArgs, landing,
                   per_barrier,  // 0: one barrier at the end
                   num_pages, coordinator);
NAMED_COMPILE_ARGS(PageWriteArgs, source, num_pages, coordinator);
NAMED_TENSORS(PageTensors, pages);
NAMED_RUNTIME_ARGS(PageRange, first, count);

NAMED_COMPILE_ARGS(ShardReadArgs, rows, columns, tensor_columns, per_barrier);
NAMED_TENSORS(ShardReadTensors, tensor);
NAMED_RUNTIME_ARGS(ShardReadPlace, landing, first);

}  // namespace tessera::score
