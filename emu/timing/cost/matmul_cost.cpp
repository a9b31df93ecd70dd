// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/cost/matmul_cost.hpp"

#include <algorithm>

#include "emu/timing/cost/millicycles.hpp"

namespace tessera::timing {

MatmulCost::MatmulCost(const ComputeTiming& timing)
    : phase_(to_millicycles(timing.matmul_phase)),
      start_(to_millicycles(timing.matmul_start)),
      waits_for_call_before_(timing.matmul_calls_in_source == 1) {
}

FpuCall MatmulCost::of(const ComputeArgument& argument, const UnpackCost& unpack) const {
    const std::uint32_t rows = std::max<std::uint32_t>(argument.rt, 1);
    const std::uint32_t columns = std::max<std::uint32_t>(argument.ct, 1);
    // in0, a tile per row, goes to SrcB; in1, a tile per column, to SrcA.
    const DataFormat passing = columns >= rows ? argument.srca : argument.srcb;
    FpuCall call;
    call.num_rounds = std::min(rows, columns);
    call.steps_per_round = std::max(rows, columns);
    call.unpack_first = unpack.of_pair(argument.srca, argument.srcb);
    call.unpack_next = unpack.of_tile(passing);
    call.math_start = start_;
    call.math_step = phase_ * num_phases(argument.fidelity);
    call.math = Activity::Matmul;
    call.waits_for_call_before = waits_for_call_before_;
    return call;
}

}  // namespace tessera::timing
