// SPDX-License-Identifier: Apache-2.0
// The compiled form of a program's kernel: built in if the project holds it, else compiled just in
// time for the program's arguments and circular buffers.
#pragma once

#include "runtime/kernels/compiled_kernel.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/program.hpp"

namespace tessera {

/// A kernel that is compiled has what the chip's own build defines for it: ARCH_WORMHOLE or
/// ARCH_BLACKHOLE, NOC_MAX_BURST_SIZE in bytes, and DST_ACCUM_MODE if it is a compute kernel.
/// Source   tt-metal, tt_metal/jit_build (build.cpp, genfiles.cpp).
/// Errors   UsageError if the source does not exist or does not compile, with the compiler's own
///          first lines.
[[nodiscard]] CompiledKernel look_up_kernel(const Program& program, const KernelDescription& kernel,
                                            const ArchSpec& arch);

}  // namespace tessera
