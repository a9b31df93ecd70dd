// SPDX-License-Identifier: Apache-2.0
#include "runtime/steps/operators.hpp"

#include <algorithm>

#include "emu/base/fields/nearest.hpp"
#include "tessera/errors.hpp"

namespace tessera::pipeline {

void Operators::refuse(const std::string& what) const {
    throw UsageError(fmt::format("'{}': {}", text_, what));
}

bool Operators::compare(const Value& left, std::string_view sign, const Value& right) const {
    if (std::holds_alternative<std::string>(left) || std::holds_alternative<std::string>(right)) {
        if (sign != "==" && sign != "!=") {
            refuse(fmt::format("'{}' compares numbers only", sign));
        }
        // As text, so that a word compares with a number too: a param may be `auto` or a number.
        return (show(left) == show(right)) == (sign == "==");
    }
    const double a = number(left);
    const double b = number(right);
    if (sign == "==" || sign == "!=") {
        return (a == b) == (sign == "==");
    }
    return sign == "<" ? a < b : sign == ">" ? a > b : sign == "<=" ? a <= b : a >= b;
}

Value Operators::built_in(std::string_view name, std::span<const Value> arguments) const {
    // All take two whole numbers, which is checked once below.
    static const std::vector<std::string> kNames{"ceil_div", "floor_div", "max", "min", "round_up"};
    if (std::ranges::find(kNames, name) == kNames.end()) {
        refuse(fmt::format("unknown function {}, did you mean {}?", name,
                           config::nearest(std::string(name), kNames)));
    }
    if (arguments.size() != 2) {
        refuse(fmt::format("{} takes 2 values, found {}", name, arguments.size()));
    }
    const std::int64_t a = whole(arguments[0]);
    const std::int64_t b = whole(arguments[1]);
    if (name == "min" || name == "max") {
        return name == "min" ? std::min(a, b) : std::max(a, b);
    }
    // Rounding is defined for counts only; for negative numbers "up" and "away from 0" differ.
    if (a < 0 || b <= 0) {
        refuse(fmt::format("{} of {} and {}; allowed: 0 or more, and 1 or more", name, a, b));
    }
    const std::int64_t quotient = a / b + (name != "floor_div" && a % b != 0 ? 1 : 0);
    return name == "round_up" ? quotient * b : quotient;
}

double Operators::number(const Value& value) const {
    if (const auto* word = std::get_if<std::string>(&value)) {
        refuse(fmt::format("{} is unknown, did you mean {}?", *word,
                           config::nearest(*word, scope_.names())));
    }
    const auto* whole = std::get_if<std::int64_t>(&value);
    return whole != nullptr ? static_cast<double>(*whole) : std::get<double>(value);
}

std::int64_t Operators::whole(const Value& value) const {
    if (const auto* decimal = std::get_if<double>(&value)) {
        refuse(fmt::format("{} is not a whole number", *decimal));
    }
    (void)number(value);
    return std::get<std::int64_t>(value);
}

// The words are values of params; a comparison gives 1 or 0.
bool Operators::truth(const Value& value) const {
    if (show(value) == "true" || show(value) == "false") {
        return show(value) == "true";
    }
    return number(value) != 0;
}

Value Operators::arithmetic(const Value& left, char sign, const Value& right) const {
    if (std::holds_alternative<double>(left) || std::holds_alternative<double>(right)) {
        return decimal_arithmetic(number(left), sign, number(right));
    }
    const std::int64_t a = whole(left);
    const std::int64_t b = whole(right);
    std::int64_t result = 0;
    // Checked: a wrapped product of params would become a valid but wrong shape.
    bool overflows = false;
    if (sign == '/' || sign == '%') {
        if (b == 0) {
            refuse("division by 0");
        }
        if (sign == '/' && a % b != 0) {
            // Shapes and counts are whole. C++'s silent truncation would lose the last tile of a
            // tensor, so a remainder must be asked for by name.
            refuse(fmt::format("{} does not divide {}; use ceil_div or floor_div", b, a));
        }
        result = sign == '/' ? a / b : a % b;
    } else if (sign == '*') {
        overflows = __builtin_mul_overflow(a, b, &result);
    } else {
        overflows = sign == '+' ? __builtin_add_overflow(a, b, &result)
                                : __builtin_sub_overflow(a, b, &result);
    }
    if (overflows) {
        refuse("the result does not fit in 64 bits");
    }
    return result;
}

Value Operators::decimal_arithmetic(double a, char sign, double b) const {
    switch (sign) {
        case '+':
            return a + b;
        case '-':
            return a - b;
        case '*':
            return a * b;
        case '/':
            return a / b;
        default:
            refuse("% takes whole numbers");
    }
}

}  // namespace tessera::pipeline
