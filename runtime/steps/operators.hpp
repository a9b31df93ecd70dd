// SPDX-License-Identifier: Apache-2.0
// Operators and functions of expressions: their results, and the values that they refuse.
#pragma once

#include "runtime/steps/scope.hpp"

namespace tessera::pipeline {

/// Evaluates operators and functions for one expression, whose text its messages quote.
/// Errors   each function: UsageError with the expression and what is wrong with it.
class Operators {
public:
    Operators(std::string_view text, const Scope& scope) : text_(text), scope_(scope) {}

    /// Throws UsageError with the expression and `what`.
    [[noreturn]] void refuse(const std::string& what) const;

    /// Returns a condition's value: the words true and false, or a number other than 0.
    [[nodiscard]] bool truth(const Value& value) const;
    [[nodiscard]] bool compare(const Value& left, std::string_view sign, const Value& right) const;
    [[nodiscard]] Value arithmetic(const Value& left, char sign, const Value& right) const;
    /// Returns base ** exponent: whole if the base is whole and the exponent is 0, 1, 2, …
    [[nodiscard]] Value power(const Value& base, const Value& exponent) const;
    /// Calls one of the functions that every expression has.
    [[nodiscard]] Value built_in(std::string_view name, std::span<const Value> arguments) const;

private:
    [[nodiscard]] double number(const Value& value) const;
    [[nodiscard]] std::int64_t whole(const Value& value) const;
    [[nodiscard]] Value decimal_arithmetic(double a, char sign, double b) const;
    /// Returns a decimal, which must be finite.
    [[nodiscard]] Value finite(double value) const;
    [[nodiscard]] Value real_function(std::string_view name, double x) const;
    [[nodiscard]] Value rounded(std::string_view name, std::int64_t a, std::int64_t b) const;
    [[nodiscard]] Value whole_power(std::int64_t base, std::int64_t exponent) const;

    std::string_view text_;
    const Scope& scope_;
};

}  // namespace tessera::pipeline
