// SPDX-License-Identifier: Apache-2.0
// Adds the rows of a DST tile to rows of the next tile. A list in L1 has the target of each row.
// Source   tt-metal, llk_api/llk_sfpu/ckernel_sfpu_reshuffle_rows.h (June 2026).
#pragma once

#include "tessera/kernel/compute/sfpi_functions.hpp"

namespace tessera::kernel {
/// Position of one row's elements in the even or odd columns of a face: the index of their vector
/// in dst_reg, and the first of the 8 lanes that hold them.
struct RowLanes {
    RowLanes(std::uint32_t row, std::uint32_t half, std::uint32_t is_odd)
        : vector(static_cast<int>((row / kFaceRows * 2 + half) * 8 + row % kFaceRows / 4 * 2 +
                                  is_odd)),
          first_lane(row % 4 * 8) {}
    int vector;
    std::uint32_t first_lane;
};

/// Adds row i of the tile at dst_reg[0] to row targets[i] of the tile at dst_reg[32]. Skips rows
/// whose target is 32 or more.
inline void add_rows_at(const volatile std::uint8_t* targets) {
    constexpr int kTile = 32;
    constexpr std::uint32_t kAlignAndAdd = 2;  // SFPTRANSP and SFPADD
    for (std::uint32_t row = 0; row < kTileRows; ++row) {
        const std::uint32_t target = targets[row];
        for (std::uint32_t part = 0; part < 4 && target < kTileRows; ++part) {
            const RowLanes from(row, part / 2, part % 2);
            const RowLanes to(target, part / 2, part % 2);
            const sfpi::vFloat in = sfpi::dst_reg[from.vector];
            sfpi::vFloat out = sfpi::dst_reg[kTile + to.vector];
            issue(kAlignAndAdd);
            for (std::uint32_t i = 0; i < 8; ++i) {
                out.set_lane(to.first_lane + i,
                             out.lane(to.first_lane + i) + in.lane(from.first_lane + i));
            }
            sfpi::dst_reg[kTile + to.vector] = out;
        }
    }
}
}  // namespace tessera::kernel

namespace ckernel {

inline void reshuffle_rows_tile_init() {
}
/// Adds rows of DST tile `idst` to rows of tile `idst` + 1. The 32 bytes of L1 at `idx_addr` + 16
/// are the target rows; a row with a target of 32 or more is skipped.
inline void reshuffle_rows_tile(std::uint32_t idst, std::uint32_t idx_addr) {
    constexpr std::uint32_t kHeaderBytes = 16;
    const auto* targets = reinterpret_cast<const volatile tt_l1_ptr std::uint8_t*>(
        static_cast<std::uintptr_t>(idx_addr + kHeaderBytes));
    _llk_math_eltwise_unary_sfpu_params_([targets] { tessera::kernel::add_rows_at(targets); }, idst,
                                         static_cast<int>(VectorMode::None));
}

}  // namespace ckernel
