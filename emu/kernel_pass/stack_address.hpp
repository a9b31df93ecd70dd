// SPDX-License-Identifier: Apache-2.0
// Finds a kernel's window and processor from the address of its stack frame.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Value.h>

namespace tessera::kernel_pass {

/// Values that a function's entry block derives from its frame address, made on first use.
///
/// The frame address has advantages over a thread_local: it needs no load and is correct on any
/// worker thread. After masking, its low 32 bits are known to be zero, so base | address folds into
/// addressing modes and loops vectorise. llvm.frameaddress does not touch memory, so inlined copies
/// merge into one. It exists on every target; read_register counts as a memory read and names a
/// register of one target.
class StackAddress {
public:
    explicit StackAddress(llvm::Function& function) : function_(function) {}

    /// i64: host address of the core's window.
    llvm::Value* window_base();
    /// i64: host address of the kernel's globals (include/tessera/window_layout.hpp).
    llvm::Value* kernel_globals();
    /// i64: index of the processor that runs the kernel.
    llvm::Value* processor();

private:
    llvm::Value* frame_address();
    llvm::Instruction* end_of_prologue();

    llvm::Function& function_;
    llvm::Instruction* frame_address_ = nullptr;
    llvm::Instruction* last_ = nullptr;
    llvm::Value* window_base_ = nullptr;
    llvm::Value* kernel_globals_ = nullptr;
};

}  // namespace tessera::kernel_pass
