// SPDX-License-Identifier: Apache-2.0
// Calls and definitions in the statements of a kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/steps/kernel_tokens.hpp"

namespace tessera::pipeline {

using KernelTokens = std::span<const KernelToken>;

/// A call in a statement: name<templates>(operands), or object.name(operands).
struct KernelCall {
    std::string name;    ///< without qualification
    std::string object;  ///< empty for a function
    KernelTokens templates;
    std::vector<KernelTokens> operands;
    std::uint32_t line = 0;
};

/// A variable that a statement defines or assigns, and what follows.
struct KernelDefinition {
    std::string name;
    KernelTokens value;
};

[[nodiscard]] bool is_kernel_word(const std::string& text);
/// Returns the tokens with spaces between them.
[[nodiscard]] std::string joined(KernelTokens tokens);
/// Returns the last part of a qualified name.
[[nodiscard]] std::string unqualified(const std::string& name);
/// Returns the index behind the bracket that closes the one at `open`.
[[nodiscard]] std::size_t end_of_brackets(KernelTokens tokens, std::size_t open);
/// Splits at the commas that are in no brackets.
[[nodiscard]] std::vector<KernelTokens> split_at_commas(KernelTokens tokens);
/// Returns all calls, nested ones after those that hold them.
[[nodiscard]] std::vector<KernelCall> calls_of(KernelTokens tokens);
[[nodiscard]] std::optional<KernelDefinition> definition_of(KernelTokens tokens);

}  // namespace tessera::pipeline
