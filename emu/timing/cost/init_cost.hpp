// SPDX-License-Identifier: Apache-2.0
// Prices init calls: the time that unpack, math or pack needs for its configuration.
#pragma once

#include "emu/timing/cost/times.hpp"
#include "tessera/timeline.hpp"
#include "tessera/trace.hpp"

namespace tessera::timing {

class InitCost {
public:
    explicit InitCost(const ComputeTimes& times) : times_(times) {}

    /// Returns 0 if `thread` has nothing to configure.
    [[nodiscard]] Millicycles of(UnitInitKind kind, TimelineThread thread) const noexcept;

private:
    ComputeTimes times_;
};

}  // namespace tessera::timing
