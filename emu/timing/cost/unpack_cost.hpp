// SPDX-License-Identifier: Apache-2.0
// Prices unpacking: operand tiles from L1 to the source registers SrcA and SrcB.
#pragma once

#include "emu/timing/cost/times.hpp"
#include "tessera/data_format.hpp"
#include "tessera/tile.hpp"
#include "tessera/timeline.hpp"
#include "tessera/trace_arguments.hpp"

namespace tessera::timing {

class UnpackCost {
public:
    explicit UnpackCost(const ComputeTimes& times) : times_(times) {}

    /// Prices one tile to one source register. A tiny tile is priced by its elements.
    [[nodiscard]] Millicycles of_tile(DataFormat format, Tile tile) const;
    /// Prices two tiles to both: the longer one, and the share of the shorter one that L1's port
    /// adds (all of it on Wormhole: two bf16 tiles take 64 cycles at 64 B a cycle).
    [[nodiscard]] Millicycles of_pair(const ComputeArgument& argument) const;
    /// Prices one tile gathered from the rows of a matrix.
    [[nodiscard]] Millicycles of_tilize(DataFormat format, Tile tile) const;
    /// Prices one tile spread over the rows of a matrix.
    [[nodiscard]] Millicycles of_untilize(Tile tile) const noexcept;

private:
    [[nodiscard]] Millicycles bytes_of_tile(DataFormat format, Tile tile) const;

    ComputeTimes times_;
};

}  // namespace tessera::timing
