// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/cost/pack_cost.hpp"

#include <algorithm>

#include "emu/timing/cost/millicycles.hpp"

namespace tessera::timing {

PackCost::PackCost(const ComputeTiming& timing)
    : tile_32_(to_millicycles(timing.pack_tile_32bit)),
      tile_16_(to_millicycles(timing.pack_tile_16bit)),
      tile_8_(to_millicycles(timing.pack_tile_8bit)),
      packers_(std::max(timing.packers, 1U)),
      start_(to_millicycles(timing.pack_start)),
      accumulate_(to_millicycles(timing.pack_accumulate)),
      dst_32_(to_millicycles(timing.pack_dst_32bit)),
      untilize_(to_millicycles(timing.pack_untilize_tile)) {
}

Millicycles PackCost::bytes_of_tile(DataFormat format) const {
    // By bytes of a value: four packers write 16 B a cycle each (tt-isa-documentation,
    // WormholeB0/TensixTile/L1.md); block formats bring some bytes of exponents, hence the
    // division.
    switch (tile_bytes(format) / 1024) {
        case 4:
            return tile_32_;
        case 2:
            return tile_16_;
        default:
            return tile_8_;
    }
}

// Each packer takes the faces of a tile in turn: half a tile takes as long as a whole one where
// each of its faces has a packer. What a face lacks in rows saves their time.
Millicycles PackCost::share_of(Millicycles whole, Tile tile) const {
    const auto turns = [this](std::uint32_t faces) { return (faces + packers_ - 1) / packers_; };
    return whole * turns(tile.get_num_faces()) * tile.get_face_hw() /
           (turns(kFacesPerTile) * kFaceElements);
}

Millicycles PackCost::of(EventKind kind, std::uint8_t detail,
                         const ComputeArgument& argument) const {
    Millicycles tile = (detail & PackDetail::kDst32) != 0 ? dst_32_ : 0;
    if (kind == EventKind::PackUntilize) {
        return share_of(untilize_ + tile, argument.out_tile);
    }
    // L1 accumulation reads before it writes: 2 cycles for 16 B (L1.md).
    tile += (detail & PackDetail::kAccumulates) != 0 ? accumulate_ : 0;
    return start_ + share_of(tile + bytes_of_tile(argument.out), argument.out_tile);
}

}  // namespace tessera::timing
