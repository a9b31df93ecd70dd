// SPDX-License-Identifier: Apache-2.0
// Prices init calls: which of unpack, math and pack sets itself up, and for how long.
#pragma once

#include "tessera/timeline.hpp"
#include "tessera/timing_spec.hpp"
#include "tessera/trace.hpp"

namespace tessera::timing {

class InitCost {
public:
    explicit InitCost(const ComputeTiming& timing);

    /// Returns 0 if `thread` has nothing to set up.
    [[nodiscard]] Millicycles of(UnitInitKind kind, TimelineThread thread) const noexcept;

private:
    Millicycles unpack_;
    Millicycles math_;
    Millicycles pack_;
    Millicycles operation_;
    Millicycles sfpu_;
    Millicycles reconfigure_;
};

}  // namespace tessera::timing
