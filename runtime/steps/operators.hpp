// SPDX-License-Identifier: Apache-2.0
// What operators and functions of an expression make of values, and which values they refuse.
#pragma once

#include "runtime/steps/scope.hpp"

namespace tessera::pipeline {

/// Errors   of all: UsageError with the expression and what is wrong with it.
class Operators {
public:
    Operators(std::string_view text, const Scope& scope) : text_(text), scope_(scope) {}

    /// Ends with the expression and what is wrong with it.
    [[noreturn]] void refuse(const std::string& what) const;

    [[nodiscard]] bool truth(const Value& value) const;
    [[nodiscard]] bool compare(const Value& left, std::string_view sign, const Value& right) const;
    [[nodiscard]] Value arithmetic(const Value& left, char sign, const Value& right) const;
    /// One of the functions that every expression has.
    [[nodiscard]] Value built_in(std::string_view name, std::span<const Value> arguments) const;

private:
    [[nodiscard]] double number(const Value& value) const;
    [[nodiscard]] std::int64_t whole(const Value& value) const;
    [[nodiscard]] Value of_decimals(double a, char sign, double b) const;

    std::string_view text_;
    const Scope& scope_;
};

}  // namespace tessera::pipeline
