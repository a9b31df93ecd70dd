// SPDX-License-Identifier: Apache-2.0
// Splits the text of a kernel into tokens and statements.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/program.hpp"

namespace tessera::pipeline {

/// A word, a number or an operator. Qualified names are one token; indices of circular buffers
/// (tt::CBIndex::c_16, tt::CB::c_in0) are numbers.
struct KernelToken {
    std::string text;
    std::uint32_t line = 0;
};

/// A statement, or the head of a block. Braces of initialisers are part of their statement.
struct KernelStatement {
    std::vector<KernelToken> tokens;
    bool is_repeated = false;  ///< inside a loop
};

/// Returns the statements of a kernel, without comments and without the branches of #if that
/// `defines` exclude. A condition other than the definition of a word keeps all its branches.
[[nodiscard]] std::vector<KernelStatement> statements_of(const std::string& text,
                                                         const Defines& defines);

}  // namespace tessera::pipeline
