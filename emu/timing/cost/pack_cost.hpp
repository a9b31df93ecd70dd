// SPDX-License-Identifier: Apache-2.0
// Prices packing: tiles from DST to L1.
#pragma once

#include "tessera/timeline.hpp"
#include "tessera/timing_spec.hpp"
#include "tessera/trace.hpp"

namespace tessera::timing {

class PackCost {
public:
    explicit PackCost(const ComputeTiming& timing);

    /// Prices an event of kind Pack or PackUntilize: one tile.
    [[nodiscard]] Millicycles of(EventKind kind, std::uint8_t detail,
                                 const ComputeArgument& argument) const;

private:
    [[nodiscard]] Millicycles share_of(Millicycles whole, Tile tile) const;
    [[nodiscard]] Millicycles bytes_of_tile(DataFormat format) const;

    Millicycles tile_32_;
    Millicycles tile_16_;
    Millicycles tile_8_;
    std::uint32_t packers_;
    Millicycles start_;
    Millicycles accumulate_;
    Millicycles dst_32_;
    Millicycles untilize_;
};

}  // namespace tessera::timing
