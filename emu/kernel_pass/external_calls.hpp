// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Module.h>

namespace tessera::kernel_pass {

/// Prevents a kernel from calling host functions that end its process, wait, or start threads.
///
/// Allowed are the kernel API, and those functions of memory, strings and mathematics in the C and
/// C++ library that have no other effect. Allocation is redirected to the kernel's own heap
/// (include/tessera/host_calls.hpp), which has a limit. Each other function is replaced by one that
/// ends the kernel. This is an allow-list because no list of harmful functions is complete. Traps
/// end the kernel in the same way. Runs before optimisation, when each call still has its own line.
void confine_external_calls(llvm::Module& module);

/// Defines the function that code with -fstack-protector calls after an array overrun. Without it,
/// the host's function would end the process. Runs last, because a list of the module keeps it.
void define_stack_check_failure(llvm::Module& module);

}  // namespace tessera::kernel_pass
