// SPDX-License-Identifier: Apache-2.0
// Arguments of the kernels of a product whose readers are next to their DRAM bank.
//
// A team has a core for each bank. All teams work on the same unit at a time: up to some adjacent
// tile rows of one expert, which share its weights. Each team has some columns of the output. A
// member multiplies only the weights that are in its bank, and sends the sums to the member that
// finishes them.
#pragma once

#include "../../kernels/near_bank_args.hpp"
#include "product_args.hpp"

namespace tessera::ops::row_products {

NAMED_COMPILE_ARGS(NearArgs,
                   banks,       // of DRAM, and members of a team
                   k_push,      // tiles of weights of one push
                   pushes,      // that the circular buffer of weights holds
                   tile_rows,   // of a unit, at the most
                   is_ahead,    // 1: there is room for the tiles of two units
                   chunk,       // K tiles of rows that are tilized together
                   kept_step,   // a core multiplies every kept_step-th K tile of the rows
                   row_parts);  // cores that bring a tile row
NAMED_COMPILE_ARGS(NearComputeArgs, k_tiles,
                   is_scaled);  // 1: rows are multiplied with a number each at the end

// The writer finds the rows of a list itself.
NAMED_TENSORS(NearWriterTensors, ids, experts, num_listed, topk_weights, output, rows);

NAMED_RUNTIME_ARGS(NearShare, bank,
                   number,  // of the core, team by team
                   num_cores, first_column, num_columns);
using ops::NearPlace;  // of each core, by number
using ops::NearRectangle;
using ops::NearSemaphores;  // a round of sums has a slot

/// Rounds of sums that a core has room for.
inline constexpr std::uint32_t kNearRounds = 3;

/// Cores that bring a tile row at the most.
inline constexpr std::uint32_t kNearRowParts = 4;

/// Sums of a unit, column by column and tile row by tile row, are finished in rounds of one for each
/// member.
constexpr std::uint32_t rounds_of(std::uint32_t num_sums, std::uint32_t banks) {
    return (num_sums + banks - 1) / banks;
}
/// Returns how many sums a round of a unit has; member m finishes sum m of them.
constexpr std::uint32_t width_of_round(std::uint32_t num_sums, std::uint32_t banks,
                                       std::uint32_t round) {
    const std::uint32_t left = num_sums - round * banks;
    return left < banks ? left : banks;
}
/// Returns the first K tile of a column in a bank, if tile `first` of all is the column's first.
constexpr std::uint32_t first_in_bank(std::uint32_t first, std::uint32_t bank,
                                      std::uint32_t banks) {
    return (bank + banks - first % banks) % banks;
}
/// Returns the column of a unit from which on tile row `row` of the next unit is brought. Row
/// `row - 1` is there and tilized from then on. `height`: tile rows of the next unit.
constexpr std::uint32_t column_of_row(std::uint32_t row, std::uint32_t height,
                                      std::uint32_t num_columns, bool is_ahead) {
    if (is_ahead) {
        return num_columns * row / (height + 1);
    }
    return row == 0 ? num_columns / 2 : num_columns;
}

}  // namespace tessera::ops::row_products
