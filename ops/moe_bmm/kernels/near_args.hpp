// SPDX-License-Identifier: Apache-2.0
// Arguments of the kernels of near_banks, whose readers are next to their DRAM bank.
//
// All cores work on the same row of tiles, called a unit, at a time. The tiles of a column of
// weights are in every `column_step`-th bank. A team has one or more cores beside each of these
// banks, and some of the columns. A member multiplies only the weights that it reads, and sends
// its sums to the member that finishes the column.
#pragma once

#include "../../shared/kernels/near_bank_args.hpp"
#include "args.hpp"

namespace tessera::ops::moe_bmm {

// Circular buffers beside those of valid_tiles.
enum class NearCb : std::uint32_t {
    Sums = 9,       // of this core, on their way to the members that finish the columns
    Gathered = 10,  // sums of all members for the columns that this core finishes
    Units = 11      // announcements from the reader to compute
};

NAMED_COMPILE_ARGS(NearArgs, banks,
                   column_step,    // columns from one of a team to its next one
                   members,        // cores that share a column
                   bank_members,   // of them beside one bank
                   pushes,         // of weights of a column
                   columns,        // of the core that has the most
                   weight_pushes,  // that the circular buffer of weights holds
                   holds_expert,   // 1: weights stay in L1 for all rows of their expert
                   num_cores,      // of all teams
                   row_parts);     // cores that bring a row of tiles
NAMED_TENSORS(NearReaderTensors, weights, counts);
NAMED_TENSORS(NearWriterTensors, rows, output, counts);

// Zeros are written by the cores that are beside no bank, whose NoC is idle.
NAMED_TENSORS(NearZeroTensors, output, counts);
NAMED_RUNTIME_ARGS(NearZeroShare, index, num_cores);

NAMED_RUNTIME_ARGS(NearShare, bank,
                   in_bank,  // number of the core among its team's cores beside the bank
                   member,   // of the team
                   number,   // of all cores
                   first_column, num_columns);
using ops::NearPlace;  // of each member, then of each core
using ops::NearRectangle;
using ops::NearSemaphores;  // a unit's sums have a slot

/// Units whose sums a core has room for.
inline constexpr std::uint32_t kSumSlots = 3;
/// Cores that bring a row of tiles at the most: one at a time would be as slow as the weights.
inline constexpr std::uint32_t kMostRowParts = 4;
/// Rows of tiles that a core holds: those of the next unit arrive during the products.
inline constexpr std::uint32_t kRowUnits = 2;
/// Announcements that may be ahead of compute.
inline constexpr std::uint32_t kUnitsAhead = 8;

/// The K tiles of a column that a core multiplies: first, first + step, … below k_tiles.
struct NearTiles {
    std::uint32_t first;
    std::uint32_t step;
};

/// Returns those of the column whose first tile is `first_tile`. Its tiles are `row_tiles` apart,
/// and tile t is in bank t mod banks.
constexpr NearTiles tiles_in_bank(std::uint32_t first_tile, std::uint32_t row_tiles,
                                  const NearArgs& args, std::uint32_t bank, std::uint32_t in_bank) {
    const std::uint32_t num_banks = args.members / args.bank_members;
    std::uint32_t first = 0;
    // The banks of a column repeat, so that one of its first tiles is in this bank.
    while ((first_tile + first * row_tiles) % args.banks != bank) {
        ++first;
    }
    return {first + in_bank * num_banks, args.members};
}

/// Columns of a unit that the member finishes: first, first + members, … The members take turns
/// from unit to unit, as few columns do not suffice for all.
constexpr std::uint32_t first_finished(std::uint32_t unit, std::uint32_t member,
                                       std::uint32_t members) {
    return (member + members - unit % members) % members;
}

/// Columns that a member finishes at the most, of `columns`.
constexpr std::uint32_t most_finished(std::uint32_t columns, std::uint32_t members) {
    return (columns + members - 1) / members;
}

}  // namespace tessera::ops::moe_bmm
