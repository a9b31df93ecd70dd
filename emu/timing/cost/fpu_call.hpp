// SPDX-License-Identifier: Apache-2.0
// One call of the matrix unit, which unpack and math share.
#pragma once

#include <cstdint>

#include "tessera/timeline.hpp"

namespace tessera::timing {

/// `num_rounds` rounds of `steps_per_round` steps. A step is one set of operands in the source
/// registers: unpack fills it, math consumes it. The first step of a round brings new operands to
/// both registers, each other step to one.
struct FpuCall {
    std::uint32_t num_rounds = 1;
    std::uint32_t steps_per_round = 1;
    Millicycles unpack_run = 0;  ///< before the first step of consecutive calls
    Millicycles unpack_first = 0;
    Millicycles unpack_next = 0;
    Millicycles math_start = 0;  ///< before the first step, while its operands are still unpacked
    Millicycles math_step = 0;
    Activity unpack = Activity::Unpack;
    Activity math = Activity::Eltwise;
    bool waits_for_call_before = false;  ///< unpack starts when math has finished the call before

    [[nodiscard]] constexpr std::uint32_t num_steps() const noexcept {
        return num_rounds * steps_per_round;
    }
};

}  // namespace tessera::timing
