// SPDX-License-Identifier: Apache-2.0
// From a device's start to kernel_main, and from a program to the next.
#pragma once

#include "tessera/timeline.hpp"
#include "tessera/timing_spec.hpp"
#include "tessera/trace.hpp"

namespace tessera::timing {

class LaunchCost {
public:
    explicit LaunchCost(const TimingSpec& timing);

    /// Until the firmware of a core has the launch message.
    [[nodiscard]] Millicycles latency() const noexcept { return latency_; }
    /// Firmware of a core up to kernel_main.
    [[nodiscard]] Millicycles of_start(const CoreTrace& core) const noexcept;
    /// Firmware after kernel_main.
    [[nodiscard]] Millicycles of_end() const noexcept { return end_; }
    /// At least between the end of a device's program and the start of its next.
    [[nodiscard]] Millicycles gap() const noexcept { return gap_; }
    /// What dispatch is busy with for one of the launch's programs; it may be ahead of the program
    /// before. All kernel groups are taken to have the binaries that the program's first core has.
    [[nodiscard]] Millicycles of_dispatch(const DispatchTrace& program,
                                          const LaunchTrace& launch) const;

private:
    DispatchTiming timing_;
    Hertz clock_;
    Millicycles latency_;
    Millicycles start_;
    Millicycles cb_;
    Millicycles end_;
    Millicycles gap_;
};

}  // namespace tessera::timing
