// SPDX-License-Identifier: Apache-2.0
#include "emu/kernel_pass/stack_address.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>

#include "tessera/window_layout.hpp"

namespace tessera::kernel_pass {

llvm::Value* StackAddress::frame_address() {
    if (frame_address_ == nullptr) {
        llvm::IRBuilder<> builder(&*function_.getEntryBlock().getFirstInsertionPt());
        auto* frame = builder.CreateIntrinsic(llvm::Intrinsic::frameaddress,
                                              {llvm::PointerType::get(builder.getInt8Ty(), 0)},
                                              {builder.getInt32(0)});
        frame_address_ =
            llvm::cast<llvm::Instruction>(builder.CreatePtrToInt(frame, builder.getInt64Ty()));
        last_ = frame_address_;
    }
    return frame_address_;
}

llvm::Instruction* StackAddress::end_of_prologue() {
    return last_->getNextNode();
}

llvm::Value* StackAddress::window_base() {
    if (window_base_ == nullptr) {
        llvm::Value* frame = frame_address();
        llvm::IRBuilder<> builder(end_of_prologue());
        window_base_ = builder.CreateAnd(frame, kWindowBaseMask, "window_base");
        last_ = llvm::cast<llvm::Instruction>(window_base_);
    }
    return window_base_;
}

llvm::Value* StackAddress::kernel_globals() {
    if (kernel_globals_ == nullptr) {
        llvm::Value* frame = frame_address();
        llvm::IRBuilder<> builder(end_of_prologue());
        llvm::Value* slot = builder.CreateAnd(frame, ~(kProcessorSlotSize - 1));
        kernel_globals_ = builder.CreateSub(
            slot, builder.getInt64(kKernelStacksOffset - kKernelGlobalsOffset), "kernel_globals");
        last_ = llvm::cast<llvm::Instruction>(kernel_globals_);
    }
    return kernel_globals_;
}

llvm::Value* StackAddress::processor() {
    llvm::Value* frame = frame_address();
    llvm::IRBuilder<> builder(end_of_prologue());
    llvm::Value* offset = builder.CreateAnd(frame, kWindowSize - kKernelStacksOffset - 1);
    llvm::Value* index = builder.CreateUDiv(offset, builder.getInt64(kProcessorSlotSize));
    last_ = llvm::cast<llvm::Instruction>(index);
    return index;
}

}  // namespace tessera::kernel_pass
