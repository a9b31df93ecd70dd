// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/cost/pack_cost.hpp"

#include "emu/timing/cost/millicycles.hpp"

namespace tessera::timing {

PackCost::PackCost(const ComputeTiming& timing)
    : tile_32_(to_millicycles(timing.pack_tile_32bit)),
      tile_16_(to_millicycles(timing.pack_tile_16bit)),
      tile_8_(to_millicycles(timing.pack_tile_8bit)),
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

Millicycles PackCost::of(EventKind kind, std::uint8_t detail, DataFormat out) const {
    const Millicycles dst = (detail & PackDetail::kDst32) != 0 ? dst_32_ : 0;
    if (kind == EventKind::PackUntilize) {
        return untilize_ + dst;
    }
    // L1 accumulation reads before it writes: 2 cycles for 16 B (L1.md).
    const Millicycles sum = (detail & PackDetail::kAccumulates) != 0 ? accumulate_ : 0;
    return start_ + bytes_of_tile(out) + sum + dst;
}

}  // namespace tessera::timing
