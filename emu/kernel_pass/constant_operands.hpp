// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Constant.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

namespace tessera::kernel_pass {

/// Selects the constants to replace, and their replacements.
class ConstantRule {
public:
    virtual ~ConstantRule() = default;
    /// Returns whether `constant` or a part of it must be replaced.
    virtual bool depends(const llvm::Constant& constant) const = 0;
    /// Returns the value that replaces `constant`, or null if only parts of it must be replaced.
    virtual llvm::Value* replace(llvm::Constant& constant, llvm::IRBuilder<>& builder) = 0;
};

/// Applies the rule to the constant operands of a function. Expressions and aggregates that contain
/// replaced constants become instructions before their user.
void replace_constant_operands(llvm::Function& function, ConstantRule& rule);

/// Returns the value of a constant with the rule applied to it and to its parts.
llvm::Value* expand_constant(llvm::Constant& constant, llvm::IRBuilder<>& builder,
                             ConstantRule& rule);

}  // namespace tessera::kernel_pass
