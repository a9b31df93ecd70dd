// SPDX-License-Identifier: Apache-2.0
// Expressions of run files: numbers and words over named values, a few operators and functions.
// There are no statements and no assignment: a computation that needs them belongs in an op.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/steps/scope.hpp"
#include "tessera/errors.hpp"

namespace tessera::pipeline {

/// Evaluates `text`.
///
/// Operators   || && == != < <= > >= + - * / % ** ! ( ). Results of whole numbers are whole and
///             exact: a division must have no remainder; ceil_div and floor_div round, and ratio
///             gives a decimal. With a decimal operand the result is a decimal of 64 bits.
/// Operands    whole numbers (0x too), decimals, and names with dots ("core.first"). An unknown
///             name is a word, so that `activation == fused` compares with the word `fused`;
///             arithmetic refuses words.
/// Functions   ceil_div(a, b), floor_div(a, b), round_up(a, b), min, max, pow(a, b) (as a ** b),
///             ratio(a, b), sqrt(x), exp(x), ln(x), select(condition, a, b), which takes words too, and
///             those of the scope.
/// Errors      UsageError with the expression and what is wrong with it.
[[nodiscard]] Value evaluate(std::string_view text, const Scope& scope);
/// Evaluates `text` to a whole number from `fewest` to 2^32 − 1; a comparison gives 1 or 0.
/// Errors      as evaluate(), and UsageError for another value.
[[nodiscard]] std::uint32_t evaluate_count(std::string_view text, const Scope& scope,
                                           std::uint32_t fewest = 0);
/// Evaluates `text` to a whole number of either sign.
/// Errors      as evaluate(), and UsageError for another value.
[[nodiscard]] std::int64_t evaluate_integer(std::string_view text, const Scope& scope);
/// Evaluates `text` to a condition: a comparison, true or false; a whole number is true unless 0.
/// Errors      as evaluate(), and UsageError for another value.
[[nodiscard]] bool evaluate_condition(std::string_view text, const Scope& scope);

/// Returns an expression as messages quote it: the first 200 letters.
[[nodiscard]] std::string shortened(std::string_view text);

/// Replaces each ${expression} in `text` by its value.
[[nodiscard]] std::string substitute(std::string_view text, const Scope& scope);

}  // namespace tessera::pipeline
