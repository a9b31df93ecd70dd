// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers of the writer of kv_cache_append. The reader, which fills Rows, is
// that of column_moves.
#pragma once

#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::kv_cache_append {

enum class Cb : std::uint32_t {
    Rows = 0,
    Positions = 2,   // 16 entries of the list
    Sequences = 3,   // 16 entries of the list
    Pages = 4,       // 16 entries of the page table
    Misaligned = 5,  // a row in a separate buffer
};

NAMED_COMPILE_ARGS(WriterArgs,
                   row_bytes,   // bytes of a position of the cache, or of one of its heads
                   page_bytes,  // bytes of a row in Rows
                   block_rows,  // rows of a push
                   page_size,   // positions of a page
                   table_width,
                   rows_each,    // rows of a token
                   tokens_each,  // tokens of a sequence, if no list states it
                   position_width,
                   sequence_width,  // 0: no list
                   in_one_row,      // rows of the cache that a row of its tensor has
                   alignment);      // alignment of DRAM, in bytes
NAMED_TENSORS(WriterTensors, output, table, positions,
              sequences);  // may be left out
NAMED_RUNTIME_ARGS(WriterRange, first_row, num_rows);

}  // namespace tessera::ops::kv_cache_append
