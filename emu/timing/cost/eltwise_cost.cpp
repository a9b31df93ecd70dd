// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/cost/eltwise_cost.hpp"

#include <algorithm>

#include "emu/timing/cost/matmul_cost.hpp"

namespace tessera::timing {
namespace {

// The matrix unit processes one face at a time, with all its rows (tt-llk,
// llk_math_eltwise_binary.h).
Millicycles share_of_faces(Millicycles whole, Tile tile) {
    return whole * tile.get_num_faces() / kFacesPerTile;
}

}  // namespace

Millicycles EltwiseCost::of_multiply(MathFidelity fidelity) const noexcept {
    const std::uint32_t phases = num_phases(fidelity);
    // The third and fourth pass cost more than the first two: math alone takes 34.6 cycles at HiFi2
    // and 82.6 at HiFi4 (https://github.com/tenstorrent/tt-metal/issues/58723).
    const std::uint32_t early = std::min(phases, 2U);
    return times_.eltwise_phase * early + times_.eltwise_late_phase * (phases - early);
}

// The matrix unit has an algorithm for each dimension (tt-llk, llk_math_reduce.h), and maxima need
// no fidelity phases. Measured on Blackhole, math alone, in cycles at LoFi and HiFi4 (tt-lang,
// CostTableBlackhole.inc): columns 19 and 86, as an element-wise product; rows 15 and 52; scalars
// 44 and 133; maxima 19, 85 and 44 at any fidelity.
Millicycles EltwiseCost::of_reduce(std::uint8_t detail, MathFidelity fidelity) const noexcept {
    const bool is_largest = (detail & ReduceDetail::kLargest) != 0;
    const MathFidelity effective = is_largest ? MathFidelity::LoFi : fidelity;
    switch (detail & ReduceDetail::kDim) {
        case ReduceDetail::kRow:
            return is_largest ? times_.reduce_row_largest
                              : times_.reduce_row_phase * num_phases(fidelity);
        case ReduceDetail::kColumn:
            return of_multiply(effective);
        default:
            return times_.reduce_scalar + times_.reduce_scalar_phase * num_phases(effective);
    }
}

FpuCall EltwiseCost::of_binary(std::uint8_t detail, const ComputeArgument& argument,
                               const UnpackCost& unpack) const {
    const bool has_dst_operand =
        (detail & (EltwiseDetail::kDestReuse | EltwiseDetail::kFromDst)) != 0;
    const bool multiplies = (detail & EltwiseDetail::kMultiply) != 0;
    FpuCall call;
    // Instructions of the next call are issued while the unpackers are busy with this one, so a
    // call takes the longer of the two: on Blackhole 37 cycles for two bfp8 tiles as for bf16 ones.
    call.unpack_first =
        has_dst_operand
            ? std::max(times_.unpack_call, unpack.of_tile(argument.srca, argument.srca_tile))
            : std::max(times_.unpack_pair_call, unpack.of_pair(argument));
    // The matrix unit reads source registers only: an operand in DST is moved to one first.
    call.math_start = times_.math_start +
                      (has_dst_operand ? share_of_faces(times_.copy_tile, argument.srca_tile) : 0);
    call.math_step = share_of_faces(
        multiplies ? of_multiply(argument.fidelity) : times_.eltwise_add, argument.srca_tile);
    return call;
}

FpuCall EltwiseCost::of_unary(EventKind kind, std::uint8_t detail, const ComputeArgument& argument,
                              const UnpackCost& unpack) const {
    FpuCall call;
    const bool is_in_block = kind == EventKind::Copy && (detail & CopyDetail::kInBlock) != 0;
    call.unpack_first = std::max(is_in_block ? times_.unpack_block_call : times_.unpack_call,
                                 unpack.of_tile(argument.srca, argument.srca_tile));
    call.math_start = times_.math_start;
    call.math_step = times_.copy_tile;
    if (kind == EventKind::Transpose) {
        call.math_step = times_.transpose;
    } else if (kind == EventKind::Reduce) {
        // A reduce is a product with a tile of scaling factors, which is unpacked to SrcB.
        call.unpack_first = std::max(times_.unpack_pair_call, unpack.of_pair(argument));
        call.math_step = of_reduce(detail, argument.fidelity);
    } else if (kind == EventKind::Tilize) {
        // The measurement includes the call (conv2d_op_program_factory_common.cpp; tt-llk issue 131
        // for untilize).
        call.unpack_first = unpack.of_tilize(argument.srca, argument.srca_tile);
    } else if (kind == EventKind::Untilize) {
        call.unpack_first = unpack.of_untilize(argument.srca_tile);
    }
    call.math_step = share_of_faces(call.math_step, argument.srca_tile);
    return call;
}

}  // namespace tessera::timing
