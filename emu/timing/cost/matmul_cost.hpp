// SPDX-License-Identifier: Apache-2.0
// Prices tile products: one pass of the multiplier over a tile per fidelity phase.
#pragma once

#include "emu/timing/cost/fpu_call.hpp"
#include "emu/timing/cost/unpack_cost.hpp"
#include "tessera/trace.hpp"

namespace tessera::timing {

/// Returns the passes of the multiplier: LoFi 1, HiFi2 2, HiFi3 3, HiFi4 4.
[[nodiscard]] constexpr std::uint32_t num_phases(MathFidelity fidelity) noexcept {
    return fidelity == MathFidelity::LoFi ? 1 : static_cast<std::uint32_t>(fidelity);
}

class MatmulCost {
public:
    explicit MatmulCost(const ComputeTimes& times) : times_(times) {}

    /// Prices MatmulTiles, or MatmulBlock: a product of `rt` rows by `ct` columns of tiles.
    ///
    /// The operand of the shorter side stays in its register while the other side's tiles change:
    /// rounds = min(rt, ct), steps of a round = max(rt, ct).
    /// Source   tt-llk, llk_unpack_AB_matmul: reuse of the operand with fewer tiles.
    [[nodiscard]] FpuCall of(EventKind kind, const ComputeArgument& argument,
                             const UnpackCost& unpack) const;

private:
    ComputeTimes times_;
};

}  // namespace tessera::timing
