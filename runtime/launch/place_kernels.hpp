// SPDX-License-Identifier: Apache-2.0
// Gives the cores of a program their kernel threads: entry, arguments in L1, globals.
#pragma once

#include <span>
#include <vector>

#include "runtime/kernels/compiled_kernel.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/launch_modes.hpp"
#include "tessera/loop_rounds.hpp"
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
    std::uint64_t progress_limit = kDefaultProgressLimit;  ///< rounds of a loop
};

/// The compiled kernels of a program for a device of `arch`, in its order.
/// Errors   UsageError if one cannot be had.
[[nodiscard]] std::vector<CompiledKernel> look_up_kernels(const Program& program,
                                                          const ArchSpec& arch);

/// Makes one KernelThread for each kernel and core, which are on the device's grid; `compiled` is
/// what look_up_kernels gives.
void place_kernels(const Program& program, std::span<const CompiledKernel> compiled,
                   const LaunchModes& modes, Device& device);

}  // namespace tessera
