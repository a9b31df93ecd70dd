// SPDX-License-Identifier: Apache-2.0
// Prices a core's firmware: from the go signal to kernel_main, and from its return to the done
// message.
#pragma once

#include "tessera/timeline.hpp"
#include "tessera/timing_spec.hpp"
#include "tessera/trace.hpp"

namespace tessera::timing {

class LaunchCost {
public:
    explicit LaunchCost(const TimingSpec& timing);

    /// Returns the time until the firmware of a core has the go signal.
    [[nodiscard]] Millicycles latency() const noexcept { return latency_; }
    /// Returns the time of a core's firmware up to kernel_main of the kernel behind `thread`.
    [[nodiscard]] Millicycles of_start(const CoreTrace& core, TimelineThread thread) const noexcept;
    /// Returns how much later than the first a core may start.
    [[nodiscard]] Millicycles start_spread() const noexcept { return start_spread_; }
    /// Returns the time of the firmware after kernel_main.
    [[nodiscard]] Millicycles of_end() const noexcept { return end_; }

private:
    Millicycles latency_;
    Millicycles start_spread_;
    Millicycles start_;
    Millicycles cb_;
    Millicycles copy_;
    Millicycles end_;
};

}  // namespace tessera::timing
