// SPDX-License-Identifier: Apache-2.0
// Finds the compiled form of a program's kernel: a built-in one, or one that is compiled just in
// time for the program's arguments and circular buffers.
#pragma once

#include "runtime/kernels/compiled_kernel.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/program.hpp"

namespace tessera {

/// Returns the compiled kernel. Kernels are compiled with the macros of the chip's own build:
/// ARCH_WORMHOLE or ARCH_BLACKHOLE, NOC_MAX_BURST_SIZE in bytes, and DST_ACCUM_MODE for compute
/// kernels.
/// Source   tt-metal, tt_metal/jit_build (build.cpp, genfiles.cpp).
/// Errors   UsageError if the source does not exist or does not compile, with the compiler's first
///          errors.
[[nodiscard]] CompiledKernel look_up_kernel(const Program& program, const KernelDescription& kernel,
                                            const ArchSpec& arch);

}  // namespace tessera
