// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/cost/matmul_cost.hpp"

#include <algorithm>

namespace tessera::timing {
namespace {

/// Returns the multiplier's steps of a fidelity phase: each is 8 rows of in0 by a face of in1.
/// Source   tt-llk, llk_math_matmul.h: 16 for 32×32 tiles, 8 if one of them is half a tile, 4 if
///          both are or in0 has 8 rows or fewer.
std::uint32_t steps_of(Tile in0, Tile in1) {
    constexpr std::uint32_t kRows = 8;
    return (in0.get_height() + kRows - 1) / kRows * (in0.get_width() / kFaceColumns) *
           (in1.get_tile_hw() / (in0.get_width() * kFaceColumns));
}

}  // namespace

FpuCall MatmulCost::of(EventKind kind, const ComputeArgument& argument,
                       const UnpackCost& unpack) const {
    const std::uint32_t rows = std::max<std::uint32_t>(argument.rt, 1);
    const std::uint32_t columns = std::max<std::uint32_t>(argument.ct, 1);
    // in0, a tile per row, goes to SrcB; in1, a tile per column, to SrcA (tt-llk,
    // llk_unpack_AB_matmul).
    const bool passes_srca = columns >= rows;
    FpuCall call;
    call.num_rounds = std::min(rows, columns);
    call.steps_per_round = std::max(rows, columns);
    // The start of a run was fitted to blocks; loops of matmul_tiles fit without it
    // (compute.unpack_run).
    call.unpack_run = kind == EventKind::MatmulBlock ? times_.unpack_run : 0;
    call.unpack_first = unpack.of_pair(argument);
    call.unpack_next =
        passes_srca ? unpack.of_tile(argument.srca, argument.srca_tile) + times_.unpack_next_srca
                    : unpack.of_tile(argument.srcb, argument.srcb_tile);
    call.math_start =
        kind == EventKind::MatmulTiles ? times_.matmul_tiles_start : times_.matmul_block_start;
    const std::uint32_t phases = num_phases(argument.fidelity);
    call.math_step = times_.matmul_product + (phases > 1 ? times_.matmul_phases_end : 0) +
                     times_.matmul_phase * phases *
                         steps_of(argument.srcb_tile, argument.srca_tile) / steps_of({}, {});
    call.math = Activity::Matmul;
    // On Wormhole loops of matmul_tiles take unpacking plus phases, as if the source registers held
    // one pair of tiles. On Blackhole, and in blocks, they take the longer of the two.
    call.waits_for_call_before =
        kind == EventKind::MatmulTiles && times_.matmul_tiles_in_source == 1;
    return call;
}

}  // namespace tessera::timing
