// SPDX-License-Identifier: Apache-2.0
// Gives the cores of a program their kernel threads: entry, arguments in L1, globals.
#pragma once

#include "tessera/launch_modes.hpp"
#include "tessera/noc_delivery.hpp"
#include "tessera/program.hpp"

namespace tessera {

class Device;

/// How a launch runs; the same for all its threads.
struct LaunchModes {
    NocDelivery delivery = NocDelivery::AtBarrier;
    std::uint64_t seed = 0;  ///< of NocDelivery::Random
    TraceMode trace = TraceMode::Off;
    Maths maths = Maths::On;
    BulkData bulk_data = BulkData::On;
};

/// Makes one KernelThread for each kernel and core.
/// Errors   UsageError if a core lies outside the device's grid, or a kernel cannot be had.
void place_kernels(const Program& program, const LaunchModes& modes, Device& device);

}  // namespace tessera
