// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers of the kernels of top_k.
#pragma once

#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::top_k {

/// Each of the two processors of a core has the first six: its own begin at `first_cb`.
enum class Cb : std::uint32_t {
    Scores = 0,
    Histogram = 1,
    Chosen = 2,  // elements with their columns
    Sorted = 3,
    Positions = 4,  // a part of the list
    Counts = 5,     // of some digits, by each processor that shares a row
    // For processors that share a row:
    Lists = 12,    // sorted elements of each processor, one list after another
    Lengths = 13,  // of these lists, 16 bytes each
    Sums = 14,     // of the counts of all processors
};
inline constexpr std::uint32_t kOwnCbs = 6;
inline constexpr std::uint32_t kLengthBytes = 16;
inline constexpr std::uint32_t kDigitBits[] = {11, 11, 10};  // of an element, from the highest on
inline constexpr std::uint32_t kHistogramWords = 1U << kDigitBits[0];
/// Highest bits of an element by which processors that share a row count their columns: the sign, the
/// exponent and two bits of the mantissa.
inline constexpr std::uint32_t kCountedBits = 11;
inline constexpr std::uint32_t kCountedDigits = 1U << kCountedBits;

NAMED_COMPILE_ARGS(SelectArgs, columns, k,
                   list_width,          // entries of a row of positions; 0: whole rows count
                   first_cb);           // of this processor
NAMED_COMPILE_ARGS(ShareArgs, sharers,  // processors that share a row
                   list_entries,        // of a list in Cb::Lists
                   counts_first);       // 1: sorts only columns that may be among the k largest
NAMED_TENSORS(SelectTensors, scores,
              positions,  // may be left out
              indices);
NAMED_RUNTIME_ARGS(RowRange, first_row, num_rows);
/// Rows first_row, first_row + row_step, … that this processor shares with others, as number
/// `sharer`. The tensors' addresses follow, then x and y of each core as the NoC names it.
NAMED_RUNTIME_ARGS(SharedRows, first_row, row_step, num_rows, sharer, counted_semaphore,
                   summed_semaphore, arrived_semaphore, finished_semaphore);

}  // namespace tessera::ops::top_k
