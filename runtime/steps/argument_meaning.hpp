// SPDX-License-Identifier: Apache-2.0
// Meaning of a kernel's argument by the name of the variable that it initialises.
#pragma once

#include <cstdint>
#include <string>

namespace tessera::pipeline {

enum class ArgumentMeaning : std::uint8_t {
    Unknown,
    Address,      ///< of a tensor
    Scratch,      ///< address of L1 that the kernel may use
    Semaphore,    ///< its id
    InDram,       ///< whether a tensor is in DRAM: 1
    Bank,         ///< number of a bank
    Buffer,       ///< index of a circular buffer
    First,        ///< first unit of a core's share
    End,          ///< behind its last unit
    Count,        ///< number of units of its share
    One,          ///< tiles of a block, batches
    PageBytes,    ///< size of a page or tile
    RowTiles,     ///< Mt: rows of tiles of the first input
    InnerTiles,   ///< Kt: columns of tiles of the first input
    ColumnTiles,  ///< Nt: columns of tiles of the second input
    HeightTiles,  ///< Ht of the kernel's tensor
    WidthTiles,   ///< Wt
    AreaTiles,    ///< HtWt
    CoreX,
    CoreY,
    CoreIndex,
    NumCores
};

/// Returns the meaning of an argument called `variable`: names that the vendor's examples use.
[[nodiscard]] ArgumentMeaning meaning_of(const std::string& variable);

}  // namespace tessera::pipeline
