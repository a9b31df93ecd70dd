// SPDX-License-Identifier: Apache-2.0
// The schedule of linear in which cores share operands by multicast: a device reads each weight
// once for as many rows as all cores of a column have.
#pragma once

#include <cstdint>
#include <optional>

#include "ops/linear/split_k.hpp"

namespace tessera::ops::linear {

/// Distribution of a product over the cores, in tiles. Bands of `rows` rows of cores have a part of
/// the columns each. A core has an equal part of its band's columns and of all rows, which it
/// computes in passes.
struct Multicast {
    std::uint32_t rows = 0;     ///< of cores of a band, which share weights column by column
    std::uint32_t columns = 0;  ///< of cores of a band, which share the input row by row
    std::uint32_t bands = 0;
    std::uint32_t height = 0;   ///< tile rows of a pass
    std::uint32_t width = 0;    ///< column tiles of a pass
    std::uint32_t k_block = 0;  ///< K tiles that are sent together
    double cycles = 0;          ///< expected, for the slowest core
};

/// Returns the distribution with the least time for the slowest core. None if the output has one
/// tile row or one column of tiles, the grid is one core wide or high, or nothing fits in L1.
[[nodiscard]] std::optional<Multicast> multicast_of(const ArchSpec& arch, GridSize grid,
                                                    const ProductShape& shape);

/// Returns the program. The cores of a column read the blocks of K of their weights in turn, and
/// send each to all of them; those of a row do so with the input, which they tilize first. Sums of
/// a pass stay in L1 in fp32.
[[nodiscard]] Program multicast_program(const ArchSpec& arch, const SplitTensors& tensors,
                                        const Multicast& multicast, MathFidelity fidelity);

}  // namespace tessera::ops::linear
