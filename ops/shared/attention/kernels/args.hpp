// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers that the kernels of attention over a latent cache and over heads
// of their own share. Each op's reader has further arguments (kernels/args.hpp of the op).
#pragma once

#include "../../kernels/named_args.hpp"

namespace tessera::ops::attention {

enum class Cb : std::uint32_t {
    QueryRows = 0,
    Queries = 1,
    KeyRows = 2,
    Keys = 3,
    ValueRows = 4,
    Values = 5,
    Units = 6,  // announcements to compute
    Masks = 7,
    Ones = 8,
    Scores = 9,
    TileLargest = 10,  // largest score of each column of tiles
    RowLargest = 11,
    Largest = 12,  // running, in every column
    Sums = 13,     // running, in every column
    Outputs = 14,  // running
    Shrink = 15,   // factor of running sums and outputs
    ResultRows = 16,
    Weights = 17,  // exponentials
    Partial = 18,  // maximum, sum and outputs of another core
    OwnPartial = 19,
    PartialShrink = 20,
    WriterUnits = 21,  // announcements to the writer
    Detour = 22,
    ListWords = 23,
    SequenceWords = 24,  // decode: a page table; prefill: starts and contexts of all sequences
    Chosen = 25,         // a token's list; prefill: and bits of keys of 32 tokens
    CodeRows = 26,       // rows of keys whose values are fp8
    Codes = 27,
    Scales = 28,  // scales of rows in column 0, one tile per 128 columns
    ScaleWords = 29,
    StripLargest = 30,  // the running maximum of the strip of queries that is worked on
    Sinks = 31,         // sinks of rows, in column 0
};

// Announcements of a reader to compute and to the writer.
enum Announced : std::uint32_t { kEnd, kResult, kPartial };

NAMED_COMPILE_ARGS(ComputeArgs,
                   query_tiles,  // tiles of a row of queries and keys
                   value_tiles,
                   block,        // key tiles that are worked on together
                   scale,        // factor of scores, the bits of a float
                   has_values,   // 0: values are the first tiles of the keys
                   scale_tiles,  // tiles of scales of fp8 values; 0: bfloat16
                   strips,       // groups of 32 queries that share a unit's keys
                   has_sinks);   // 1: sums of results begin with a sink

NAMED_COMPILE_ARGS(WriterArgs, row_bytes, room_semaphore, arrived_semaphore, partial_tiles);
NAMED_TENSORS(WriterTensors, output);
NAMED_RUNTIME_ARGS(Leader, x, y);  // the core that merges the sums of others

}  // namespace tessera::ops::attention
