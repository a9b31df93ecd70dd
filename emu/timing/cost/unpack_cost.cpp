// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/cost/unpack_cost.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::timing {
namespace {

Millicycles share_of(Millicycles whole, Tile tile) {
    return whole * tile.get_tile_hw() / kTileElements;
}

}  // namespace

Millicycles UnpackCost::bytes_of_tile(DataFormat format, Tile tile) const {
    // Selects by bytes of a value, 64 B a cycle (tt-isa-documentation, UNPACR_Regular.md). Tiles of
    // block formats are slightly longer than 1024 or 512 B; the division drops their exponents.
    switch (tile_bytes(format) / 1024) {
        case 4:
            return share_of(times_.unpack_tile_32bit, tile);
        case 2:
            return share_of(times_.unpack_tile_16bit, tile);
        case 1:
            return share_of(times_.unpack_tile_8bit, tile);
        default:
            return share_of(times_.unpack_tile_4bit, tile);
    }
}

Millicycles UnpackCost::of_tile(DataFormat format, Tile tile) const {
    return times_.unpack_start + bytes_of_tile(format, tile);
}

Millicycles UnpackCost::of_pair(const ComputeArgument& argument) const {
    // The overlap of the shorter one depends on the chip: none on Wormhole (64 cycles for two bf16
    // tiles by UNPACR_Regular.md), all of it on Blackhole (assumed).
    const auto [shorter, longer] = std::minmax({bytes_of_tile(argument.srca, argument.srca_tile),
                                                bytes_of_tile(argument.srcb, argument.srcb_tile)});
    return times_.unpack_start + longer +
           std::llround(static_cast<double>(shorter) * times_.unpack_pair_share);
}

Millicycles UnpackCost::of_tilize(DataFormat format, Tile tile) const {
    return share_of(tile_bytes(format) > 2048 ? times_.tilize_tile_32bit : times_.tilize_tile_16bit,
                    tile);
}

Millicycles UnpackCost::of_untilize(Tile tile) const noexcept {
    return share_of(times_.untilize_tile, tile);
}

}  // namespace tessera::timing
