// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers of moe_sum's kernels.
#pragma once

#include "../../local_reduce_moe_output/kernels/args.hpp"
#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::moe_sum {

// The writer is local_reduce_moe_output's, which takes the sums from its own number.
enum class Cb : std::uint32_t {
    Rows = 0,
    Weights = 1,
    Contributions = 2,  // their number, a token
    RowTable = 3,
    WeightTable = 4,
    Chosen = 5,  // contributions to one token
    Sum = index_of(local_reduce_moe_output::Cb::Sum)
};

NAMED_COMPILE_ARGS(ReaderArgs, top_k, row_bytes,
                   chunk_tiles,     // tiles of a row that are summed together
                   table_page,      // bytes of a token's entries in L1
                   tokens_at_once,  // rows of the tables in L1
                   has_rows, has_weights,
                   says_place,  // 1: `rows` has a choice's row index, 0: only its presence
                   by_row);     // 1: sums rows in ascending order, else choices
NAMED_TENSORS(ReaderTensors, outputs, rows, weights);
NAMED_RUNTIME_ARGS(TokenRange, first_token, num_tokens);

NAMED_COMPILE_ARGS(ComputeArgs, row_tiles, chunk_tiles, is_weighted,
                   rounds_every_sum);  // 1: to bfloat16 after each addition
NAMED_RUNTIME_ARGS(TokenCount, num_tokens);

}  // namespace tessera::ops::moe_sum
