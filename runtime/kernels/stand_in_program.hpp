// SPDX-License-Identifier: Apache-2.0
// Compiles a kernel without its program. Stand-ins take the place of the program's arguments,
// circular buffers and defines.
#pragma once

#include <string>

#include "runtime/kernels/compile_errors.hpp"
#include "runtime/kernels/jit.hpp"

namespace tessera {

/// Compiles the kernel with one set of stand-ins after another until it compiles, and returns the
/// errors of that attempt. If none compiles, they are those of the first. `text` is the source.
/// Words that a program defines count as missing, and the result tells whether the kernel compiles
/// with them (CompileErrors::compiles_with_defines).
[[nodiscard]] CompileErrors errors_with_stand_ins(const KernelSource& source,
                                                  const std::string& text);

}  // namespace tessera
