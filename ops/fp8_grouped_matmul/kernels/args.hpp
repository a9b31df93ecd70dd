// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers of fp8_grouped_matmul's kernels.
#pragma once

#include "../../shared/fp8_blocks/kernels/args.hpp"
#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::fp8_grouped_matmul {

// fp8_swiglu uses the writer with the same numbers.
enum class Cb : std::uint32_t {
    Rows = 0,
    In0 = 1,  // rows, tilized
    In1 = 2,
    RowScales = 3,
    WeightScales = 4,
    Sums = 5,
    Largest = 6,
    Scale = 7,
    Asked = 8,  // the push of weights that reader and writer read together
    Units = 10,
    Tables = 12,
    ScalePages = 13,
    HeldScales = 14,
    WriterTable = 15,
    Output = 16,
    ScaleRow = 17
};

NAMED_COMPILE_ARGS(ReaderArgs, k_blocks, n_blocks,
                   tile,               // tokens of a CTA
                   group,              // CTAs whose rows share tiles, at most
                   row_tiles,          // rows of tiles of a group
                   chunk,              // blocks of K of one push of rows
                   k_push,             // blocks of K of one push of weights
                   gathers,            // 1: rows are those of the table of tokens
                   scale_row_bytes,    // activations' scales: one K block, all rows
                   scale_page_stride,  // in L1
                   scale_pages,        // read at once
                   table_bytes,
                   table_stride,  // bytes between tables in L1
                   banks,         // of DRAM
                   bank_step,     // from the bank of a tile to that of the next row of tiles
                   has_shards);   // 1: the tiles of a block of weights and one K step are a shard
// Weights may have shards, which a built-in kernel reads only by its last accessor.
NAMED_TENSORS(ReaderTensors, activations, row_scales, weight_scales, batch, limit, num_ctas, tokens,
              weights);

NAMED_COMPILE_ARGS(ComputeArgs, k_blocks, row_tiles, chunk, k_push,
                   quantises);  // 1: to e4m3 with scales

// The banks, a bit each, whose weights the writer of a core reads.
NAMED_RUNTIME_ARGS(WriterBanks, mask);
NAMED_COMPILE_ARGS(WriterArgs, k_blocks, k_push, n_blocks, tile, group, row_tiles, element_bytes,
                   quantises, table_bytes, table_stride, banks, bank_step, has_shards);
NAMED_TENSORS(WriterTensors, batch, limit, num_ctas, output, scales, weights);

}  // namespace tessera::ops::fp8_grouped_matmul
