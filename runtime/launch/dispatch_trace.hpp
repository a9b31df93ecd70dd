// SPDX-License-Identifier: Apache-2.0
// Counts what dispatch sends for a program.
#pragma once

#include "tessera/session.hpp"
#include "tessera/trace.hpp"

namespace tessera {

/// Returns the commands of a program's dispatch. A kernel group is a set of cores that run the same
/// kernels.
/// Source   tt-metal KernelGroup, tt_metal/impl/program/program.cpp.
[[nodiscard]] DispatchTrace dispatch_trace(const DeviceProgram& program);

}  // namespace tessera
