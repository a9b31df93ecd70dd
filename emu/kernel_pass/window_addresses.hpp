// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Module.h>

#include "emu/kernel_pass/kernel_globals.hpp"

namespace tessera::kernel_pass {

/// Makes every pointer that comes from a number point into the core's window, and every use of a
/// variable in `globals` one of the core's own instance.
///
/// A number below 2^32 is an address as the kernel knows it and gains the base of the window. Any
/// other is a host pointer that went through an integer (the kernel API's headers go through this
/// step too) and stays as it is. Numbers that were 32 bits wide, nearly all, need no comparison.
void add_window_base_to_addresses(llvm::Module& module, const KernelGlobals& globals);

}  // namespace tessera::kernel_pass
