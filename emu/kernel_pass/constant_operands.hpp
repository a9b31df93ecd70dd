// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Constant.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

namespace tessera::kernel_pass {

/// Which constants are to be replaced, and by what.
class ConstantRule {
public:
    virtual ~ConstantRule() = default;
    /// True if `constant` or a part of it is to be replaced.
    virtual bool depends(const llvm::Constant& constant) const = 0;
    /// The value in place of `constant`, or null if only parts of it are to be replaced.
    virtual llvm::Value* replace(llvm::Constant& constant, llvm::IRBuilder<>& builder) = 0;
};

/// Applies the rule to the constant operands of a function: the expressions and aggregates around
/// what the rule replaces become instructions in front of their user.
void replace_constant_operands(llvm::Function& function, ConstantRule& rule);

/// The value of a constant with the rule applied to it and to its parts.
llvm::Value* expand_constant(llvm::Constant& constant, llvm::IRBuilder<>& builder,
                             ConstantRule& rule);

}  // namespace tessera::kernel_pass
