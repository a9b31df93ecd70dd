// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers of local_reduce_moe_output's kernels.
#pragma once

#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::local_reduce_moe_output {

inline constexpr std::uint32_t kTileBytes = 2048;  // tile of bfloat16

/// Entries of an expert's tables that are read at a time.
inline constexpr std::uint32_t kMapEntries = 512;

// moe_sum and moe_finalize use some of the kernels with the same numbers.
enum class Cb : std::uint32_t {
    Rows = 0,
    Weights = 1,
    Contributions = 2,  // their number, a token
    Counts = 3,
    Map = 4,
    MapWeights = 5,
    Lists = 6,    // contributions to a batch of tokens
    Lengths = 7,  // lengths of the lists
    Sum = 16
};

NAMED_COMPILE_ARGS(ReaderArgs,
                   num_experts,  // experts of this device
                   num_tokens,   // rows that each expert's batch has
                   row_bytes,
                   chunk_tiles,    // tiles of a row that are summed together
                   batch,          // tokens whose contributions are listed together
                   count_stride);  // bytes between counts in L1
NAMED_TENSORS(ReaderTensors, rows, map, weights, counts);
NAMED_RUNTIME_ARGS(TokenRange, first_token, num_tokens);

NAMED_COMPILE_ARGS(ComputeArgs, row_tiles, chunk_tiles);
NAMED_RUNTIME_ARGS(TokenCount, num_tokens);

// Arguments of the writer, and of the accumulator, which sums on its own.
NAMED_COMPILE_ARGS(WriterArgs, row_bytes, chunk_tiles);
NAMED_COMPILE_ARGS(AccumulatorArgs,
                   truncates);  // 1: the running sum is truncated to bfloat16, else rounded
NAMED_TENSORS(WriterTensors, output);

}  // namespace tessera::ops::local_reduce_moe_output
