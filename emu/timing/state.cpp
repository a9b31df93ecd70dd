// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/state.hpp"

namespace tessera::timing {

Costs::Costs(const TimingSpec& timing, const Trace& trace)
    : risc(timing),
      link(timing),
      compute(timing),
      unpack(compute),
      matmul(compute),
      eltwise(compute),
      pack(compute),
      sfpu(timing.sfpu, trace.names),
      init(compute),
      launch(timing) {
}

std::uint32_t ReplayState::core_index(std::uint32_t device, CoreCoord core) const {
    const GridSize grid = machine.arch.workers.compute;
    return core_at[(device * grid.rows + core.y) * grid.columns + core.x];
}

}  // namespace tessera::timing
