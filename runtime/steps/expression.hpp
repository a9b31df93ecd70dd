// SPDX-License-Identifier: Apache-2.0
// Expressions of run files: numbers and words over named values, a handful of operators and a short
// list of functions. No statements, no assignment: what a schedule computes beyond that is an op.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/steps/scope.hpp"
#include "tessera/errors.hpp"

namespace tessera::pipeline {

/// Evaluates `text`: || && == != < <= > >= + - * / % ! ( ), whole numbers (0x too), decimals,
/// names with dots ("core.first"), and the functions ceil_div(a, b), round_up(a, b), min, max,
/// besides those of the scope. Division of whole numbers must come out even: ceil_div or floor_div
/// say what is meant where it does not. A name that is nobody's is a word, so that
/// `activation == fused` reads as it is meant; arithmetic refuses words.
/// Errors   UsageError with the expression and what is wrong with it.
[[nodiscard]] Value evaluate(std::string_view text, const Scope& scope);
/// The same, which must give a whole number of 0 to 2^32 − 1, or true or false.
[[nodiscard]] std::uint32_t evaluate_count(std::string_view text, const Scope& scope);
/// The same, which must give a whole number, of either sign.
[[nodiscard]] std::int64_t evaluate_integer(std::string_view text, const Scope& scope);
[[nodiscard]] bool evaluate_condition(std::string_view text, const Scope& scope);

/// Replaces each ${expression} in `text` by its value.
[[nodiscard]] std::string substitute(std::string_view text, const Scope& scope);

}  // namespace tessera::pipeline
