// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers of all_reduce's own kernels: algorithm `ring`, and a mesh of one
// device.
#pragma once

#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::all_reduce {

enum class Cb : std::uint32_t {
    Local = 0,     // own tiles, bfloat16
    Received = 1,  // partial sums of the previous device, from the link
    Partial = 2,   // partial sums for the next device
    Reduced = 3,   // full sums of the chunk that ends here, bfloat16
    Gathered = 4,  // full sums of other chunks, from the link
};

NAMED_TENSORS(ReaderTensors, input);
NAMED_TENSORS(WriterTensors, output);
NAMED_RUNTIME_ARGS(SliceArgs, first_tile, num_tiles, num_devices,
                   position,                                   // of this device in the ring
                   chunk_limit);                               // tiles of a chunk at most
NAMED_RUNTIME_ARGS(RowArgs, num_rows, row_bytes, row_stride);  // bytes, padding included

// These arguments follow the tensor's address, SliceArgs and RowArgs.
NAMED_RUNTIME_ARGS(ReaderCore, sum_arrived_semaphore, gathered_arrived_semaphore);
NAMED_RUNTIME_ARGS(WriterCore, sum_arrived_semaphore, sum_credit_semaphore,
                   gathered_arrived_semaphore, gathered_credit_semaphore,
                   num_slots,  // tiles of a circular buffer that the link fills
                   next_hops, previous_hops,
                   has_connection_back);  // 0: one connection leads to both neighbours

// A mesh of one device: rows are copied as they are.
enum class CopyCb : std::uint32_t { Piece = 0 };
NAMED_TENSORS(CopyTensors, input, output);
NAMED_RUNTIME_ARGS(CopyRange, first_row, num_rows, row_bytes,
                   piece_bytes);  // of a row that are copied at once

}  // namespace tessera::ops::all_reduce
