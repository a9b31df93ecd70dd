// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Module.h>

namespace tessera::kernel_pass {

/// Keeps a kernel from calling functions of the host that end its process, wait, or start threads.
///
/// Allowed are the kernel API, and of the C and C++ library the functions of memory, strings and
/// mathematics that have no effect elsewhere. Allocation is redirected to the kernel's own heap
/// (include/tessera/host_calls.hpp), which has a limit. Each other function becomes one that ends
/// the kernel: an allow-list, because no list of harmful functions is complete. Traps end the
/// kernel in the same way.
/// Runs before optimisation, when each call still has its own line.
void confine_external_calls(llvm::Module& module);

/// Defines the function that code with -fstack-protector calls where an array was overrun: without
/// it, that of the host would end the process. Runs last, as it is kept by a list of the module.
void define_stack_check_failure(llvm::Module& module);

}  // namespace tessera::kernel_pass
