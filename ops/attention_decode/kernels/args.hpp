// SPDX-License-Identifier: Apache-2.0
// Arguments of the readers of attention_decode. Circular buffers: shared/attention/kernels.
#pragma once

#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::attention_decode {

NAMED_COMPILE_ARGS(ReaderArgs, heads, latent_bytes, rope_bytes,
                   row_tiles,     // tiles of a row of queries and keys
                   block,         // key tiles
                   page_size,     // positions
                   table_width,   // entries of a sequence's page table
                   chosen_width,  // 0: the token attends to all positions
                   tokens_each,   // tokens of a sequence, if no list states it
                   room_semaphore, arrived_semaphore, partial_tiles, position_width,
                   sequence_width,              // 0: no list
                   positions_each,              // positions in a row of the cache's tensor
                   scales);                     // scales of a key; 0: the cache is bfloat16
NAMED_COMPILE_ARGS(MisalignedArgs, alignment);  // alignment of DRAM, in bytes

NAMED_TENSORS(ReaderTensors, latent, rope, cache, table, positions,
              chosen,     // may be left out, as those after it
              sequences,  // sequence of each token
              scales, rope_cache);
// Cores that share the keys of a unit: slot 0 merges.
NAMED_RUNTIME_ARGS(ReaderShare, group, num_groups, slot,
                   split,  // cores of a group
                   num_units);
NAMED_RUNTIME_ARGS(PartnerCount, num_partners);  // after it: x and y of each
NAMED_RUNTIME_ARGS(Partner, x, y);

// Keys and values of several heads: a unit has up to 32 queries of a token that share a head.
NAMED_COMPILE_ARGS(HeadReaderArgs,
                   heads,         // heads of queries
                   kv_heads,      // heads of keys and values
                   key_bytes,     // bytes of a head
                   value_bytes,   // bytes of a head
                   key_tiles,     // tiles of a row
                   value_tiles,   // tiles of a row
                   block,         // key tiles
                   page_size,     // positions
                   table_width,   // entries of a sequence's page table
                   chosen_width,  // 0: the token attends to all positions
                   window,        // positions that a token attends to, including its own; 0: all
                   tokens_each,   // tokens of a sequence, if no list states it
                   room_semaphore, arrived_semaphore, partial_tiles, position_width,
                   sequence_width,  // 0: no list
                   key_heads_each,  // heads in a row of the tensor
                   value_heads_each, has_sinks);
NAMED_TENSORS(HeadReaderTensors, query, keys, values, table, positions,
              chosen,     // optional, like those after it
              sequences,  // sequence of each token
              sinks);

}  // namespace tessera::ops::attention_decode
