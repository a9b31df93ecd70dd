// SPDX-License-Identifier: Apache-2.0
// Arguments of the kernels of a product whose readers are next to their DRAM bank.
//
// A team has a core for each bank. All teams work on the same tile row at a time; each team has
// some columns of the output. A member multiplies only the weights that are in its bank, and sends
// the sums to the member that finishes the column.
#pragma once

#include "product_args.hpp"

namespace tessera::ops::row_products {

NAMED_COMPILE_ARGS(NearArgs,
                   banks,    // of DRAM, and members of a team
                   k_push,   // tiles of weights of one push
                   pushes);  // that the circular buffer of weights holds
NAMED_COMPILE_ARGS(NearComputeArgs, k_tiles,
                   is_scaled);  // 1: rows are multiplied with a number each at the end

// The writer finds the rows of a list itself.
NAMED_TENSORS(NearWriterTensors, ids, experts, num_listed, topk_weights, output);

NAMED_RUNTIME_ARGS(NearShare, bank,
                   number,  // of the core, team by team
                   num_cores, first_column, num_columns);
// A round of sums has a slot, whose semaphores count the members that have sent or finished it.
NAMED_RUNTIME_ARGS(NearSemaphores, rows_free, rows_arrived, sent_0, sent_1, sent_2, finished_0,
                   finished_1, finished_2);
NAMED_RUNTIME_ARGS(NearRectangle, start_x, start_y, end_x, end_y, num_receivers);
NAMED_RUNTIME_ARGS(NearPlace, x, y);  // of each core, by number

/// Rounds of sums that a core has room for.
inline constexpr std::uint32_t kNearRounds = 3;

/// Columns of a team are finished in rounds of one for each member.
constexpr std::uint32_t rounds_of(std::uint32_t num_columns, std::uint32_t banks) {
    return (num_columns + banks - 1) / banks;
}
/// Returns how many columns a round of a tile row has; member m finishes column m of them.
constexpr std::uint32_t width_of_round(std::uint32_t num_columns, std::uint32_t banks,
                                       std::uint32_t round) {
    const std::uint32_t left = num_columns - round * banks;
    return left < banks ? left : banks;
}
/// Returns the first K tile of a column in a bank, if tile `first` of all is the column's first.
constexpr std::uint32_t first_in_bank(std::uint32_t first, std::uint32_t bank,
                                      std::uint32_t banks) {
    return (bank + banks - first % banks) % banks;
}

}  // namespace tessera::ops::row_products
