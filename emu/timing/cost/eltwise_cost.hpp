// SPDX-License-Identifier: Apache-2.0
// Prices operations of two tiles element by element, and moves of one tile to DST.
#pragma once

#include "emu/timing/cost/fpu_call.hpp"
#include "emu/timing/cost/unpack_cost.hpp"
#include "tessera/trace.hpp"

namespace tessera::timing {

class EltwiseCost {
public:
    explicit EltwiseCost(const ComputeTimes& times) : times_(times) {}

    /// Prices an event of kind EltwiseBinary. With an operand from DST one tile is unpacked, and
    /// DST's is moved to the other source register first.
    [[nodiscard]] FpuCall of_binary(std::uint8_t detail, const ComputeArgument& argument,
                                    const UnpackCost& unpack) const;
    /// Prices Copy, Transpose, Reduce, Tilize or Untilize.
    [[nodiscard]] FpuCall of_unary(EventKind kind, std::uint8_t detail,
                                   const ComputeArgument& argument, const UnpackCost& unpack) const;

private:
    [[nodiscard]] Millicycles of_multiply(MathFidelity fidelity) const noexcept;
    [[nodiscard]] Millicycles of_reduce(std::uint8_t detail, MathFidelity fidelity) const noexcept;

    ComputeTimes times_;
};

}  // namespace tessera::timing
