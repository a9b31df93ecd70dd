// SPDX-License-Identifier: Apache-2.0
// Prices a core's firmware: from the go signal to kernel_main, and from its return to the done
// message.
#pragma once

#include "emu/timing/cost/times.hpp"
#include "tessera/timeline.hpp"
#include "tessera/trace.hpp"

namespace tessera::timing {

class LaunchCost {
public:
    explicit LaunchCost(const TimingSpec& timing) : times_(timing) {}

    /// Returns the time until the firmware of a core has the go signal.
    [[nodiscard]] Millicycles latency() const noexcept { return times_.launch_latency; }
    /// Returns the time of a core's firmware up to kernel_main of the kernel of `thread`.
    [[nodiscard]] Millicycles of_start(const CoreTrace& core, TimelineThread thread) const noexcept;
    /// Returns the largest delay of a core's start after the first core.
    [[nodiscard]] Millicycles start_spread() const noexcept { return times_.start_spread; }
    /// Returns the time of the firmware after kernel_main.
    [[nodiscard]] Millicycles of_end() const noexcept { return times_.kernel_end; }

private:
    DispatchTimes times_;
};

}  // namespace tessera::timing
