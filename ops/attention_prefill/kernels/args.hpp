// SPDX-License-Identifier: Apache-2.0
// Arguments of the reader of attention_prefill. Circular buffers: shared/attention/kernels.
#pragma once

#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::attention_prefill {

NAMED_COMPILE_ARGS(ReaderArgs, tokens, heads, nope_bytes, rope_bytes, value_bytes,
                   row_tiles,  // of queries and keys
                   value_tiles,
                   block,  // key tiles
                   sequences,
                   alignment,    // of DRAM, in bytes
                   rows_each,    // of keys of a sequence; 0: as many as tokens
                   num_chosen);  // entries of a token's list; 0: no lists
NAMED_TENSORS(ReaderTensors, q_nope, q_rope, kv, k_rope, starts,
              contexts,  // may be left out
              chosen);   // may be left out
NAMED_RUNTIME_ARGS(ReaderShare, core, num_cores);

}  // namespace tessera::ops::attention_prefill
