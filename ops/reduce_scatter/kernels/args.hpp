// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers of reduce_scatter's own kernels, by algorithm.
#pragma once

#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::reduce_scatter {

/// Sums travel from both ends of a line to each device; partial sums are in memory.
namespace line {

enum class Cb : std::uint32_t {
    Own = 0,
    Forward = 1,   // sums from the previous devices
    Backward = 2,  // sums from the devices ahead, for the slice that stays
    Sum = 3,
};

NAMED_TENSORS(ReaderTensors, input,
              partial,    // sums that arrive in the core's own direction
              far_side);  // sums that arrive in the other direction
NAMED_RUNTIME_ARGS(ReaderCore, arrived_semaphore, far_side_arrived_semaphore);
NAMED_TENSORS(WriterTensors, output, partial);
NAMED_RUNTIME_ARGS(WriterCore, arrived_semaphore,
                   // of the last slice, which another core of the next device may complete
                   last_arrived_semaphore, last_x, last_y, started_semaphore, packet_tiles,
                   starts_with_all,          // 1: waits for all devices, not only for those behind
                   opposite_x, opposite_y);  // the lane's core of the other direction
/// Last of each kernel's arguments but for the writer's connection.
NAMED_RUNTIME_ARGS(JourneyArgs,
                   slice_tiles,  // tiles of one slice
                   first,        // this core's share of each slice
                   count, num_devices, position, is_backward,
                   is_completing,  // 1: completes the slice that stays
                   batch);         // tiles that are read and summed together

}  // namespace line

/// Each device sends its tiles straight to the device that sums them.
namespace direct {

enum class Cb : std::uint32_t {
    Send = 0,     // own tiles of others' slices
    Arrived = 1,  // per chunk one block per device, this one first
    Sum = 2,
};

NAMED_TENSORS(ReaderTensors, input);
NAMED_RUNTIME_ARGS(ReaderCore, arrived_semaphore);
NAMED_TENSORS(WriterTensors, output);
NAMED_RUNTIME_ARGS(WriterCore, arrived_semaphore, started_semaphore, packet_tiles);
NAMED_RUNTIME_ARGS(ShareArgs, slice_tiles,
                   first,  // this core's share of each slice
                   count, num_devices, position,
                   chunk);  // tiles that are summed together, in half of DST
/// Each other device in the order of sending. The reader has their slices.
NAMED_RUNTIME_ARGS(PeerSlice, slice);
NAMED_RUNTIME_ARGS(PeerRoute, slice, is_backward, hops);
/// Words of a connection follow if devices are reached over it.
NAMED_RUNTIME_ARGS(OutletArgs, reach);

}  // namespace direct

}  // namespace tessera::ops::reduce_scatter
