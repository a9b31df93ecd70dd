// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/state.hpp"

#include "emu/timing/cost/millicycles.hpp"

namespace tessera::timing {

Costs::Costs(const TimingSpec& timing, const Trace& trace)
    : risc(timing),
      unpack(timing.compute),
      matmul(timing.compute),
      eltwise(timing.compute),
      pack(timing.compute),
      sfpu(timing.sfpu, trace.names),
      init(timing.compute),
      launch(timing),
      dst_call(to_millicycles(timing.compute.dst_call)) {
}

std::uint32_t ReplayState::core_index(std::uint32_t device, CoreCoord core) const {
    const GridSize grid = machine.arch.workers.compute;
    return core_at[(device * grid.rows + core.y) * grid.columns + core.x];
}

}  // namespace tessera::timing
