// SPDX-License-Identifier: Apache-2.0
// Set-up of the compute units: which of the three threads an init call concerns, and for how long.
#pragma once

#include "tessera/timeline.hpp"
#include "tessera/timing_spec.hpp"
#include "tessera/trace.hpp"

namespace tessera::timing {

class InitCost {
public:
    explicit InitCost(const ComputeTiming& timing);

    /// 0 if `kind` does not concern `thread`.
    [[nodiscard]] Millicycles of(UnitInitKind kind, TimelineThread thread) const noexcept;

private:
    Millicycles full_;
    Millicycles operation_;
    Millicycles sfpu_;
    Millicycles reconfigure_;
};

}  // namespace tessera::timing
