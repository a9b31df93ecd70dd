// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/cost/eltwise_cost.hpp"

#include <algorithm>

#include "emu/timing/cost/matmul_cost.hpp"
#include "emu/timing/cost/millicycles.hpp"

namespace tessera::timing {
namespace {

// The matrix unit works face by face, on all rows of one, however many it has (tt-llk,
// llk_math_eltwise_binary.h).
Millicycles share_of(Millicycles whole, Tile tile) {
    return whole * tile.get_num_faces() / kFacesPerTile;
}

}  // namespace

EltwiseCost::EltwiseCost(const ComputeTiming& timing)
    : phase_(to_millicycles(timing.eltwise_phase)),
      late_phase_(to_millicycles(timing.eltwise_late_phase)),
      add_(to_millicycles(timing.eltwise_add)),
      copy_(to_millicycles(timing.copy_tile)),
      reduce_phase_(to_millicycles(timing.reduce_phase)),
      transpose_(to_millicycles(timing.transpose)),
      start_(to_millicycles(timing.math_start)),
      unpack_call_(to_millicycles(timing.unpack_call)) {
}

Millicycles EltwiseCost::of_multiply(MathFidelity fidelity) const noexcept {
    const std::uint32_t phases = num_phases(fidelity);
    // The third and fourth pass cost more than the first two: math alone takes 34.6 cycles at HiFi2
    // and 82.6 at HiFi4 (https://github.com/tenstorrent/tt-metal/issues/58723).
    const std::uint32_t early = std::min(phases, 2U);
    return phase_ * early + late_phase_ * (phases - early);
}

FpuCall EltwiseCost::of_binary(std::uint8_t detail, const ComputeArgument& argument,
                               const UnpackCost& unpack) const {
    const bool has_dst_operand =
        (detail & (EltwiseDetail::kDestReuse | EltwiseDetail::kFromDst)) != 0;
    const bool multiplies = (detail & EltwiseDetail::kMultiply) != 0;
    FpuCall call;
    call.unpack_first =
        unpack_call_ + (has_dst_operand ? unpack.of_tile(argument.srca, argument.srca_tile)
                                        : unpack.of_pair(argument));
    // The matrix unit reads source registers only: an operand in DST is moved to one first.
    call.math_start = start_ + (has_dst_operand ? share_of(copy_, argument.srca_tile) : 0);
    call.math_step =
        share_of(multiplies ? of_multiply(argument.fidelity) : add_, argument.srca_tile);
    return call;
}

FpuCall EltwiseCost::of_unary(EventKind kind, const ComputeArgument& argument,
                              const UnpackCost& unpack) const {
    FpuCall call;
    call.unpack_first = unpack_call_ + unpack.of_tile(argument.srca, argument.srca_tile);
    call.math_start = start_;
    call.math_step = copy_;
    if (kind == EventKind::Transpose) {
        call.math_step = transpose_;
    } else if (kind == EventKind::Reduce) {
        // A reduce is a product with a tile of scaling factors, which is unpacked to SrcB.
        call.unpack_first = unpack_call_ + unpack.of_pair(argument);
        call.math_step = reduce_phase_ * num_phases(argument.fidelity);
    } else if (kind == EventKind::Tilize) {
        // Measured as a whole (conv2d_op_program_factory_common.cpp; tt-llk issue 131 for
        // untilize): the call is in it.
        call.unpack_first = unpack.of_tilize(argument.srca, argument.srca_tile);
    } else if (kind == EventKind::Untilize) {
        call.unpack_first = unpack.of_untilize(argument.srca_tile);
    }
    call.math_step = share_of(call.math_step, argument.srca_tile);
    return call;
}

}  // namespace tessera::timing
