// SPDX-License-Identifier: Apache-2.0
// Prices packing: tiles from DST to L1.
#pragma once

#include "emu/timing/cost/times.hpp"
#include "tessera/timeline.hpp"
#include "tessera/trace.hpp"

namespace tessera::timing {

class PackCost {
public:
    explicit PackCost(const ComputeTimes& times) : times_(times) {}

    /// Prices an event of kind Pack or PackUntilize: one tile.
    [[nodiscard]] Millicycles of(EventKind kind, std::uint8_t detail,
                                 const ComputeArgument& argument) const;

private:
    [[nodiscard]] Millicycles share_of(Millicycles whole, Tile tile) const;
    [[nodiscard]] Millicycles bytes_of_tile(DataFormat format) const;

    ComputeTimes times_;
};

}  // namespace tessera::timing
