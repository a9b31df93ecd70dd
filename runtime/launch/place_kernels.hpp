// SPDX-License-Identifier: Apache-2.0
// Creates the kernel threads of a program's cores: entry, arguments in L1, globals.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "runtime/kernels/compiled_kernel.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/findings.hpp"
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
    std::optional<std::byte> left_in_buffers;  ///< as SessionOptions::left_in_buffers
    ChipRules rules = ChipRules::Strict;
    std::uint64_t progress_limit = kDefaultProgressLimit;  ///< iterations of a loop
};

/// Calls a function for the indices below a number, possibly several at once. If several calls
/// throw, it throws the exception of the lowest index.
using ForEachIndex =
    std::function<void(std::size_t count, const std::function<void(std::size_t)>& function)>;

/// Returns the compiled kernels of a program for a device of `arch`, in the program's order.
/// Kernels that are not in the cache are compiled side by side, as `for_each` runs them.
/// Errors   UsageError if a kernel cannot be found or compiled: that of the first one.
[[nodiscard]] std::vector<CompiledKernel> look_up_kernels(const Program& program,
                                                          const ArchSpec& arch,
                                                          const ForEachIndex& for_each);

/// Creates one KernelThread for each kernel and core; `compiled` is the result of look_up_kernels.
/// Precondition   all cores are on the device's grid.
void place_kernels(const Program& program, std::span<const CompiledKernel> compiled,
                   const LaunchModes& modes, Device& device);

}  // namespace tessera
