// SPDX-License-Identifier: Apache-2.0
// Creates the kernel threads of a program's cores: entry, arguments in L1, globals.
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

/// Modes of a launch, the same for all its threads.
struct LaunchModes {
    NocDelivery delivery = NocDelivery::AtBarrier;
    std::uint64_t seed = 0;  ///< for NocDelivery::Random
    TraceMode trace = TraceMode::Off;
    Maths maths = Maths::On;
    BulkData bulk_data = BulkData::On;
    std::uint64_t progress_limit = kDefaultProgressLimit;  ///< iterations of a loop
};

/// Returns the compiled kernels of a program for a device of `arch`, in the program's order.
/// Errors   UsageError if a kernel cannot be found or compiled.
[[nodiscard]] std::vector<CompiledKernel> look_up_kernels(const Program& program,
                                                          const ArchSpec& arch);

/// Creates one KernelThread for each kernel and core; `compiled` is the result of look_up_kernels.
/// Precondition   all cores are on the device's grid.
void place_kernels(const Program& program, std::span<const CompiledKernel> compiled,
                   const LaunchModes& modes, Device& device);

}  // namespace tessera
