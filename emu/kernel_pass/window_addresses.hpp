// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Module.h>

#include "emu/kernel_pass/kernel_globals.hpp"

namespace tessera::kernel_pass {

/// Makes every pointer that comes from a number point into the core's window, and every use of a
/// variable in `globals` refer to the core's own instance.
///
/// A number below 2^32 is a device address and gains the base of the window. Any other number is a
/// host pointer that was converted to an integer (the step also processes headers of the kernel
/// API); it is unchanged. Nearly all numbers had 32 bits and need no comparison.
void add_window_base_to_addresses(llvm::Module& module, const KernelGlobals& globals);

}  // namespace tessera::kernel_pass
