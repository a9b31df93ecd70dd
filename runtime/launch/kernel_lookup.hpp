// SPDX-License-Identifier: Apache-2.0
// The compiled form of a program's kernel: built in if the project holds it, else compiled just in
// time for the program's arguments and circular buffers.
#pragma once

#include "runtime/kernels/compiled_kernel.hpp"
#include "tessera/program.hpp"

namespace tessera {

/// Errors   UsageError if the source does not exist or does not compile, with the compiler's own
///          first lines.
[[nodiscard]] CompiledKernel look_up_kernel(const Program& program,
                                            const KernelDescription& kernel);

}  // namespace tessera
