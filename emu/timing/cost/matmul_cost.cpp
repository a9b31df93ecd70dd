// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/cost/matmul_cost.hpp"

#include <algorithm>

#include "emu/timing/cost/millicycles.hpp"

namespace tessera::timing {
namespace {

/// Steps of the multiplier for a fidelity phase: 8 rows of in0 by a face of in1 each.
/// Source   tt-llk, llk_math_matmul.h: 16 for 32×32 tiles, 8 if one of them is half a tile, 4 if
///          both are or in0 has 8 rows or fewer.
std::uint32_t steps_of(Tile in0, Tile in1) {
    constexpr std::uint32_t kRows = 8;
    return (in0.get_height() + kRows - 1) / kRows * (in0.get_width() / kFaceColumns) *
           (in1.get_tile_hw() / (in0.get_width() * kFaceColumns));
}

}  // namespace

MatmulCost::MatmulCost(const ComputeTiming& timing)
    : phase_(to_millicycles(timing.matmul_phase)),
      product_(to_millicycles(timing.matmul_product)),
      phases_end_(to_millicycles(timing.matmul_phases_end)),
      tiles_start_(to_millicycles(timing.matmul_tiles_start)),
      block_start_(to_millicycles(timing.matmul_block_start)),
      next_srca_(to_millicycles(timing.unpack_next_srca)),
      run_(to_millicycles(timing.unpack_run)),
      has_one_pair_(timing.matmul_tiles_in_source == 1) {
}

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
    // The start of a run is fitted to blocks; loops of matmul_tiles fit without
    // (compute.unpack_run).
    call.unpack_run = kind == EventKind::MatmulBlock ? run_ : 0;
    call.unpack_first = unpack.of_pair(argument);
    call.unpack_next = passes_srca ? unpack.of_tile(argument.srca, argument.srca_tile) + next_srca_
                                   : unpack.of_tile(argument.srcb, argument.srcb_tile);
    call.math_start = kind == EventKind::MatmulTiles ? tiles_start_ : block_start_;
    const std::uint32_t phases = num_phases(argument.fidelity);
    call.math_step =
        product_ + (phases > 1 ? phases_end_ : 0) +
        phase_ * phases * steps_of(argument.srcb_tile, argument.srca_tile) / steps_of({}, {});
    call.math = Activity::Matmul;
    // On Wormhole loops of matmul_tiles take unpacking plus phases, as if one pair of tiles were in
    // the source registers; on Blackhole, and in blocks, the longer of the two.
    call.waits_for_call_before = kind == EventKind::MatmulTiles && has_one_pair_;
    return call;
}

}  // namespace tessera::timing
