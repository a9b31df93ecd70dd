// SPDX-License-Identifier: Apache-2.0
// External interface of a kernel's module: one function to call and one symbol to find it.
#pragma once

#include <llvm/IR/Constant.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include <cstdint>
#include <string>

namespace tessera::kernel_pass {

/// Makes the function that runs the module's dynamic initialisers and then `kernel_main`, which may
/// be in a namespace. Initialisers run at each launch on each core, as on the device, so the
/// module's list of them is removed from the loader.
/// Errors   a compile error, and null, if the module defines no `void kernel_main()`, or several.
llvm::Function* make_entry(llvm::Module& module);

/// Makes everything internal, so that equal names in different kernels do not collide. Defines the
/// one visible symbol: { entry, initial image of the globals, size of the image }, with the layout
/// of tessera::CompiledKernel (runtime/kernels/compiled_kernel.hpp).
void export_kernel(llvm::Module& module, const std::string& symbol, llvm::Function& entry,
                   llvm::Constant* image, std::uint64_t image_size);

}  // namespace tessera::kernel_pass
