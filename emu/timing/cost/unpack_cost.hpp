// SPDX-License-Identifier: Apache-2.0
// Operand tiles from L1 to the source registers SrcA and SrcB.
#pragma once

#include "tessera/data_format.hpp"
#include "tessera/timeline.hpp"
#include "tessera/timing_spec.hpp"

namespace tessera::timing {

class UnpackCost {
public:
    explicit UnpackCost(const ComputeTiming& timing);

    /// One tile to one source register.
    [[nodiscard]] Millicycles of_tile(DataFormat format) const;
    /// Two tiles to both: the longer one, and the part of the shorter one that L1's port adds.
    [[nodiscard]] Millicycles of_pair(DataFormat a, DataFormat b) const;
    /// One tile gathered from the rows of a matrix.
    [[nodiscard]] Millicycles of_tilize(DataFormat format) const;
    /// One tile spread over the rows of a matrix.
    [[nodiscard]] Millicycles of_untilize() const noexcept { return untilize_; }

private:
    [[nodiscard]] Millicycles bytes_of_tile(DataFormat format) const;

    Millicycles tile_32_;
    Millicycles tile_16_;
    Millicycles tile_8_;
    Millicycles tile_4_;
    Millicycles start_;
    double pair_share_;
    Millicycles tilize_16_;
    Millicycles tilize_32_;
    Millicycles untilize_;
};

}  // namespace tessera::timing
