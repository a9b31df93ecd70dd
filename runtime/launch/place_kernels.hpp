// SPDX-License-Identifier: Apache-2.0
// Gives the cores of a program their kernel threads: entry, arguments in L1, globals.
#pragma once

#include "tessera/noc_delivery.hpp"
#include "tessera/program.hpp"

namespace tessera {

class Device;

/// How a launch delivers NoC transfers; the same for all its threads.
struct DeliverySpec {
    NocDelivery mode = NocDelivery::AtBarrier;
    std::uint64_t seed = 0;
};

/// Makes one KernelThread for each kernel and core.
/// Errors   UsageError if a core lies outside the device's grid, or a kernel cannot be had.
void place_kernels(const Program& program, const DeliverySpec& delivery, Device& device);

}  // namespace tessera
