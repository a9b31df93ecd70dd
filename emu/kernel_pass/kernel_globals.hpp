// SPDX-License-Identifier: Apache-2.0
// A kernel's mutable globals and function statics: one instance per core and processor, initialised
// at each launch, as on the device.
#pragma once

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/Constant.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>

#include <cstdint>

namespace tessera::kernel_pass {

/// Offset of each variable from the start of the kernel's globals.
struct KernelGlobals {
    llvm::MapVector<const llvm::GlobalVariable*, std::uint64_t> offsets;
    std::uint64_t size = 0;  ///< bytes
};

/// Returns whether the value of `constant` depends on the core: it names one of `globals`, or
/// converts a number to a pointer.
bool depends_on_core(const llvm::Constant& constant, const KernelGlobals& globals);

/// Replaces the module's thread_local variables by plain ones: each kernel thread has an instance
/// of every variable anyway.
void take_thread_local_addresses(llvm::Module& module);

/// Assigns an offset to each mutable variable of the module, including thread_local ones, and to
/// each constant whose value depends on the core (a table of pointers to mutable variables).
/// `entry` writes these constants first.
/// Errors   a compile error if they exceed the 16 MiB of their slot.
KernelGlobals collect_kernel_globals(llvm::Module& module, llvm::Function& entry);

/// Removes the variables, which must have no uses, and returns the constant image of their initial
/// values (a null pointer if there are none).
llvm::Constant* erase_kernel_globals(llvm::Module& module, const KernelGlobals& globals);

}  // namespace tessera::kernel_pass
