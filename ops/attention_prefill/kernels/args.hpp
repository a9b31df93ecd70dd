// SPDX-License-Identifier: Apache-2.0
// Arguments of the reader of attention_prefill. Circular buffers: shared/attention/kernels.
#pragma once

#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::attention_prefill {

NAMED_COMPILE_ARGS(ReaderArgs, tokens, heads, nope_bytes, rope_bytes, value_bytes,
                   row_tiles,  // tiles of a row of queries and keys
                   value_tiles,
                   block,  // key tiles
                   sequences,
                   alignment,    // alignment of DRAM, in bytes
                   rows_each,    // keys per sequence; 0: as many as tokens
                   num_chosen);  // entries of a token's list; 0: no lists
NAMED_TENSORS(ReaderTensors, q_nope, q_rope, kv, k_rope, starts,
              contexts,  // may be left out
              chosen);   // may be left out
// Keys and values of several heads: a unit has strips of 32 tokens of heads that share one of them.
NAMED_COMPILE_ARGS(HeadReaderArgs, tokens,
                   heads,        // heads of queries
                   kv_heads,     // heads of keys and values
                   strips,       // heads of a unit, each with the same 32 tokens
                   key_bytes,    // bytes of a head
                   value_bytes,  // bytes of a head
                   key_tiles,    // tiles of a row
                   value_tiles,  // tiles of a row
                   block,        // key tiles
                   window,       // positions that a token attends to, including its own; 0: all
                   sequences, contexts_given,
                   rows_each,       // positions of keys of a sequence, without pages
                   page_size,       // positions
                   table_width,     // entries of a sequence's page table; 0: without pages
                   key_heads_each,  // heads in a row of the tensor
                   value_heads_each, has_sinks);
NAMED_TENSORS(HeadReaderTensors, query, keys, values, starts,
              contexts,  // optional, like those after it
              table, sinks);
NAMED_RUNTIME_ARGS(ReaderShare, core, num_cores);

}  // namespace tessera::ops::attention_prefill
