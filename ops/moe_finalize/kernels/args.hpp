// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers of moe_finalize's kernels.
#pragma once

#include "../../local_reduce_moe_output/kernels/args.hpp"
#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::moe_finalize {

// Compute is local_reduce_moe_output's, whose numbers these are.
using local_reduce_moe_output::kTileBytes;
enum class Cb : std::uint32_t {
    Rows = index_of(local_reduce_moe_output::Cb::Rows),
    Weights = index_of(local_reduce_moe_output::Cb::Weights),
    Contributions = index_of(local_reduce_moe_output::Cb::Contributions),
    Table = 3,  // rows of this core's tokens
    TokenWeights = 4,
    Sum = index_of(local_reduce_moe_output::Cb::Sum)
};

NAMED_COMPILE_ARGS(ReaderArgs, row_bytes,
                   chunk_tiles,  // tiles of a row that are summed together
                   top_k,
                   weight_bytes);  // 2: bfloat16, 4: float32
NAMED_TENSORS(ReaderTensors, rows, table, weights);
NAMED_RUNTIME_ARGS(TokenRange, first_token, num_tokens);

NAMED_COMPILE_ARGS(WriterArgs, row_bytes, chunk_tiles);
NAMED_TENSORS(WriterTensors, output);

}  // namespace tessera::ops::moe_finalize
