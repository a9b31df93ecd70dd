// SPDX-License-Identifier: Apache-2.0
// Prices the work of the prefetch and dispatch cores for one program.
// Source   tt-metal tt_metal/impl/dispatch/kernels/cq_prefetch.cpp and cq_dispatch.cpp,
// tt_metal/impl/program/dispatch.cpp: binaries, CBs, semaphores and common arguments go out as
// multicasts, arguments of single cores as one write each. Multicasts to the same cores are linked;
// any other one waits until the one before has arrived.
#pragma once

#include <cstdint>

#include "tessera/timeline.hpp"
#include "tessera/timing_spec.hpp"
#include "tessera/trace.hpp"

namespace tessera::timing {

struct DispatchWork {
    Millicycles prefetch = 0;        ///< time of the core that streams the program
    Millicycles dispatch = 0;        ///< time of the core that writes it to the workers
    std::uint64_t config_bytes = 0;  ///< bytes in a worker's ring of kernel configurations
    bool needs_host = false;         ///< depends on values that the host reads back
};

class DispatchCost {
public:
    explicit DispatchCost(const TimingSpec& timing);

    /// Prices one of the launch's programs. Assumes that all kernel groups have the same number and
    /// size of binaries. Each distinct set of CBs is a group of cores.
    [[nodiscard]] DispatchWork of(const DispatchTrace& program, const LaunchTrace& launch) const;

private:
    DispatchTiming timing_;
    BytesPerCycle multicast_rate_;
    BytesPerCycle write_rate_;
};

}  // namespace tessera::timing
