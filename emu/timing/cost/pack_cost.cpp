// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/cost/pack_cost.hpp"

#include <algorithm>

namespace tessera::timing {

Millicycles PackCost::bytes_of_tile(DataFormat format) const {
    // Selects by bytes of a value: four packers write 16 B a cycle each (tt-isa-documentation,
    // WormholeB0/TensixTile/L1.md). The division drops the exponents of block formats.
    switch (tile_bytes(format) / 1024) {
        case 4:
            return times_.pack_tile_32bit;
        case 2:
            return times_.pack_tile_16bit;
        default:
            return times_.pack_tile_8bit;
    }
}

// The packers take the faces of a tile in turn. Half a tile takes as long as a whole one if each of
// its faces has a packer. Missing rows of a face take no time.
Millicycles PackCost::share_of(Millicycles whole, Tile tile) const {
    // A device model made by hand may leave the count at 0.
    const std::uint32_t packers = std::max(times_.packers, 1U);
    const auto turns = [&](std::uint32_t faces) { return (faces + packers - 1) / packers; };
    return whole * turns(tile.get_num_faces()) * tile.get_face_hw() /
           (turns(kFacesPerTile) * kFaceElements);
}

Millicycles PackCost::of(EventKind kind, std::uint8_t detail,
                         const ComputeArgument& argument) const {
    Millicycles tile = (detail & PackDetail::kDst32) != 0 ? times_.pack_dst_32bit : 0;
    if (kind == EventKind::PackUntilize) {
        return share_of(times_.pack_untilize_tile + tile, argument.out_tile);
    }
    // L1 accumulation reads before it writes: 2 cycles for 16 B (L1.md).
    tile += (detail & PackDetail::kAccumulates) != 0 ? times_.pack_accumulate : 0;
    return times_.pack_start + share_of(tile + bytes_of_tile(argument.out), argument.out_tile);
}

}  // namespace tessera::timing
