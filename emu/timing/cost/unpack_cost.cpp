// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/cost/unpack_cost.hpp"

#include <algorithm>
#include <cmath>

#include "emu/timing/cost/millicycles.hpp"

namespace tessera::timing {

UnpackCost::UnpackCost(const ComputeTiming& timing)
    : tile_32_(to_millicycles(timing.unpack_tile_32bit)),
      tile_16_(to_millicycles(timing.unpack_tile_16bit)),
      tile_8_(to_millicycles(timing.unpack_tile_8bit)),
      tile_4_(to_millicycles(timing.unpack_tile_4bit)),
      start_(to_millicycles(timing.unpack_start)),
      pair_share_(timing.unpack_pair_share),
      tilize_16_(to_millicycles(timing.tilize_tile_16bit)),
      tilize_32_(to_millicycles(timing.tilize_tile_32bit)),
      untilize_(to_millicycles(timing.untilize_tile)) {
}

Millicycles UnpackCost::bytes_of_tile(DataFormat format) const {
    // By bytes of a value, 64 B a cycle (tt-isa-documentation, UNPACR_Regular.md). Tiles of block
    // formats are a little longer than 1024 or 512 B: the division drops their exponents.
    switch (tile_bytes(format) / 1024) {
        case 4:
            return tile_32_;
        case 2:
            return tile_16_;
        case 1:
            return tile_8_;
        default:
            return tile_4_;
    }
}

Millicycles UnpackCost::of_tile(DataFormat format) const {
    return start_ + bytes_of_tile(format);
}

Millicycles UnpackCost::of_pair(DataFormat a, DataFormat b) const {
    // How much of the shorter one overlaps depends on the chip: nothing on Wormhole (64 cycles for
    // two bf16 tiles by UNPACR_Regular.md), all on Blackhole, as is assumed there.
    const auto [shorter, longer] = std::minmax({bytes_of_tile(a), bytes_of_tile(b)});
    return start_ + longer + std::llround(static_cast<double>(shorter) * pair_share_);
}

Millicycles UnpackCost::of_tilize(DataFormat format) const {
    return tile_bytes(format) > 2048 ? tilize_32_ : tilize_16_;
}

}  // namespace tessera::timing
