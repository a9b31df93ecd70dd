// SPDX-License-Identifier: Apache-2.0
// From the go signal to kernel_main, and from its return to the done message.
#pragma once

#include "tessera/timeline.hpp"
#include "tessera/timing_spec.hpp"
#include "tessera/trace.hpp"

namespace tessera::timing {

class LaunchCost {
public:
    explicit LaunchCost(const TimingSpec& timing);

    /// Until the firmware of a core has the go signal.
    [[nodiscard]] Millicycles latency() const noexcept { return latency_; }
    /// Firmware of a core up to kernel_main.
    [[nodiscard]] Millicycles of_start(const CoreTrace& core) const noexcept;
    /// Firmware after kernel_main.
    [[nodiscard]] Millicycles of_end() const noexcept { return end_; }

private:
    Millicycles latency_;
    Millicycles start_;
    Millicycles cb_;
    Millicycles end_;
};

}  // namespace tessera::timing
