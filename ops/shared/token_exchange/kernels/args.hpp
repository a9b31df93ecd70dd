// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers of the kernels that exchange rows of tokens between devices.
#pragma once

#include "../../kernels/named_args.hpp"

namespace tessera::ops::token_exchange {

// For cores that send, control and pack. Buffers without a named consumer are plain memory.
enum class Cb : std::uint32_t {
    Table = 0,     // ids, then weights, of one rank's tokens; of combine, entries of `source`
    Bases = 1,     // rows that lower ranks send, by bin
    Counts = 2,    // rows so far, by bin
    Scratch = 3,   // rows of metadata on their way to memory
    Rows = 4,      // pieces of rows, reader to writer
    Commands = 5,  // where the next row goes, reader to writer
    Pairs = 6      // rows by own bin and sending rank
};

// For cores that sum contributions.
enum class SumCb : std::uint32_t {
    Contributions = 0,  // tiles of 1024 elements of rows, bfloat16
    Terms = 1,          // of a token: their number, then weights (float32)
    Tables = 2,         // a token's slots, ids and weights
    Sum = 16
};

inline constexpr std::uint32_t kScratchRows = 16;  // of metadata, before their memory is reused
// Entries of a table that are read or written at once, and their bytes as words or as pages.
inline constexpr std::uint32_t kLineEntries = 16;
inline constexpr std::uint32_t kLineBytes = 64;
inline constexpr std::uint32_t kSumTileBytes = 2048;  // bfloat16

// A target is a device, or with this bit so many hops over the core's link.
inline constexpr std::uint32_t kByHops = 1U << 31;

// The routing tables of all ranks.
NAMED_COMPILE_ARGS(ShapeArgs,
                   num_tokens,  // of each rank
                   top_k, num_experts, num_ranks,
                   most_rows,  // of a bin
                   is_batched,
                   ids_stride,  // bytes of a page, padding included
                   weights_stride,
                   // Rows of a bin that one rank may fill, in a part of its own (one phase). 0:
                   // ranks' rows follow each other, so that all have to know the counts first.
                   pair_rows);

// Lists behind a kernel's other arguments: the number of entries, then an entry each.
NAMED_RUNTIME_ARGS(ListSize, count);
NAMED_RUNTIME_ARGS(PeerArgs, target, rank,
                   core);            // that sends back to this one
NAMED_RUNTIME_ARGS(CoreWord, core);  // virtual coordinates in one word

// Coordinates of a core that one word names.
constexpr std::uint32_t word_of_core(std::uint32_t x, std::uint32_t y) {
    return x | y << 16U;
}
constexpr std::uint32_t x_of(std::uint32_t core_word) {
    return core_word & 0xFFFFU;
}
constexpr std::uint32_t y_of(std::uint32_t core_word) {
    return core_word >> 16U;
}

// For dispatch_reader.cpp, after the addresses. A list of PeerArgs follows.
NAMED_TENSORS(DispatchReaderTensors, tokens, ids, weights, scales);
NAMED_RUNTIME_ARGS(DispatchReaderArgs, num_links, link, row_bytes, piece_bytes, scales_bytes,
                   bases_semaphore, rank);

// For dispatch_writer.cpp, which writes rows for dispatch, combine and all_to_all. A list of
// PeerArgs follows, and the connection of a core that has peers and is not local.
NAMED_TENSORS(WriterTensors, rows, scales, tables);
NAMED_RUNTIME_ARGS(WriterArgs, rank, sends_table, row_bytes, piece_bytes, scales_bytes,
                   started_semaphore, control_x, control_y,
                   tables_semaphore,  // of the control core, as the next
                   rows_semaphore,
                   is_local,       // 1: rows stay on the device
                   table_packet);  // bytes

// For pack_reader.cpp: the rows of one phase, as they arrived.
NAMED_TENSORS(PackTensors, rows, scales);
NAMED_RUNTIME_ARGS(PackArgs, row_bytes, piece_bytes, scales_bytes, go_semaphore, core, num_cores);

// For dispatch_control.cpp. Two lists of CoreWord follow: the cores that wait for the bases, and
// those that wait for the counts.
NAMED_COMPILE_ARGS(ControlArgs, weight_bytes);
NAMED_TENSORS(ControlTensors, ids, weights, tables, out_ids, out_weights, source, slots,
              num_received);
NAMED_RUNTIME_ARGS(ControlWork, rank, scratch_stride,
                   fails_beyond,  // 1: a row beyond its receiver's capacity ends the run
                   tables_semaphore, rows_semaphore, bases_semaphore,
                   num_senders,  // cores of all ranks that send here
                   go_semaphore);

// For combine_reader.cpp. A list of PeerArgs follows.
NAMED_TENSORS(CombineReaderTensors, rows, source, num_received);
NAMED_RUNTIME_ARGS(CombineReaderArgs, num_links, link, row_bytes, piece_bytes, rank);

// For combine_control.cpp. A list of CoreWord follows: the cores that sum.
NAMED_RUNTIME_ARGS(CombineControlArgs, num_senders, rows_semaphore, go_semaphore);

// For the kernels that sum.
NAMED_COMPILE_ARGS(SumReaderArgs,
                   weight_bytes);        // 0: contributions are summed as they are
NAMED_COMPILE_ARGS(RowArgs, row_bytes);  // of the sum
NAMED_TENSORS(SumReaderTensors, contributions, slots, ids, weights);
NAMED_RUNTIME_ARGS(TokenRange, first_token, num_tokens);
NAMED_RUNTIME_ARGS(GoArgs, go_semaphore);  // after TokenRange
NAMED_COMPILE_ARGS(SumComputeArgs, row_tiles, weighs);
NAMED_RUNTIME_ARGS(TokenCount, num_tokens);
NAMED_TENSORS(SumWriterTensors, output);

}  // namespace tessera::ops::token_exchange
