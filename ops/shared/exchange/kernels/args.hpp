// SPDX-License-Identifier: Apache-2.0
// Arguments, circular buffers and codes that the host and the kernels of collectives share.
#pragma once

#include "../../kernels/named_args.hpp"

namespace tessera::ops::exchange {

enum class Cb : std::uint32_t {
    Local = 0,     // own tiles to be summed, bfloat16
    Received = 1,  // partial sums of the previous device, from the link
    Partial = 2,   // partial sums for the next device
    Reduced = 3,   // sums that stay here, bfloat16
    Gathered = 4,  // bytes that pass as they are, from the link
    Own = 5,       // own bytes that pass as they are
    Earlier = 6,   // own sums of an earlier phase, if they are float32
    Later = 7,     // sums for a later phase, if they are float32
    Zeros = 8,     // one tile
};

/// A tile of bfloat16: slices are distributed over cores and cut into packets in multiples of it.
inline constexpr std::uint32_t kUnitBytes = 2048;

/// Tensor that a step reads or stores. Sums for later phases are in the workspace, in the format of
/// sums that travel: a workspace has one page for each unit of the tensor.
enum class Place : std::uint32_t { Input, Output, Workspace };

/// Slots of a circular buffer that a link fills, in packets. They hold a chunk that arrives while
/// one is forwarded and another waits for its turn. They also hold blocks in processing, and half
/// of the free ones that have not been granted to the sender. With fewer slots, a ring of senders
/// could deadlock.
constexpr std::uint32_t num_slots(std::uint32_t chunk_packets) {
    return 3 * chunk_packets + chunk_packets / 2 + 2;
}

NAMED_COMPILE_ARGS(ReaderArgs,
                   own_blocks,  // blocks in the circular buffers of own tiles
                   sum_scale);  // bytes of a partial sum to those of bfloat16
NAMED_TENSORS(ReaderTensors, input, output, workspace);
NAMED_RUNTIME_ARGS(ReaderCore, row_bytes,
                   row_stride,         // bytes, padding included
                   arrived_semaphore,  // counts blocks that the link brought
                   stored_semaphore);  // counts phases that the writer has stored

NAMED_COMPILE_ARGS(ComputeArgs, sums_are_fp32);  // 1: partial sums are float32

NAMED_COMPILE_ARGS(WriterArgs,
                   sum_tile_bytes,  // bytes of a partial sum; 0: there are no sums
                   gathers);        // 1: some phases pass bytes as they are
NAMED_TENSORS(WriterTensors, output, workspace);
NAMED_RUNTIME_ARGS(WriterCore, row_bytes, row_stride, stored_semaphore, arrived_semaphore,
                   first_credit_semaphore,            // first one, by Neighbour::credit
                   num_connections);                  // followed by their words
inline constexpr std::uint32_t kConnectionWords = 3;  // words of append_fabric_connection_rt_args

// The plan of a core, last of each kernel's arguments. Each phase is a head and its runs of steps.
NAMED_RUNTIME_ARGS(PlanHead, num_phases,
                   chunk,          // blocks of a step in a round
                   sum_tiles,      // tiles of a packet of partial sums
                   gather_tiles);  // tiles of a packet of bytes
NAMED_RUNTIME_ARGS(PhaseHead,
                   sizes,     // 1 if it sums | words of runs << 1 | both credits, 8 bits each
                   routes,    // to the next and to the previous device, 16 bits each
                   devices);  // the same two
inline constexpr std::uint32_t kNoRoute = 0xFFFF;  // else connection | hops << 8

/// A run: steps whose slices have the same size and distance.
NAMED_RUNTIME_ARGS(RunWords,
                   head,  // StepFlag | number of steps << 8
                   read_begin, store_begin, bytes);
/// Follows a run of several steps: what is added to both of the former from one to the next.
NAMED_RUNTIME_ARGS(RunDistance, read_begin, store_begin);
enum StepFlag : std::uint32_t { kReads = 1, kReceives = 2, kStores = 4, kSends = 8 };
inline constexpr std::uint32_t kSourceShift = 4;       // Place that is read
inline constexpr std::uint32_t kDestinationShift = 6;  // Place that is stored

}  // namespace tessera::ops::exchange
