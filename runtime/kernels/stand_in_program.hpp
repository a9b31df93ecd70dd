// SPDX-License-Identifier: Apache-2.0
// Compiles a kernel that has no program with arguments, circular buffers and words that stand in for
// those of one.
#pragma once

#include <string>

#include "runtime/kernels/compile_errors.hpp"
#include "runtime/kernels/jit.hpp"

namespace tessera {

/// Returns the errors of the kernel with the stand-ins that suit it best. `text` is its source.
/// Words that a program defines count as missing, and the result tells whether the kernel compiles
/// with them (CompileErrors::compiles_with_defines).
[[nodiscard]] CompileErrors errors_with_stand_ins(const KernelSource& source,
                                                  const std::string& text);

}  // namespace tessera
