// SPDX-License-Identifier: Apache-2.0
#include "runtime/steps/operators.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "emu/base/fields/nearest.hpp"
#include "runtime/steps/expression.hpp"
#include "tessera/errors.hpp"

namespace tessera::pipeline {

void Operators::refuse(const std::string& what) const {
    throw UsageError(fmt::format("'{}': {}", shortened(text_), what));
}

bool Operators::compare(const Value& left, std::string_view sign, const Value& right) const {
    if (std::holds_alternative<std::string>(left) || std::holds_alternative<std::string>(right)) {
        if (sign != "==" && sign != "!=") {
            refuse(fmt::format("'{}' compares numbers only", sign));
        }
        // Both are compared as text: a param may be `auto` or a number.
        return (show(left) == show(right)) == (sign == "==");
    }
    const double a = number(left);
    const double b = number(right);
    if (sign == "==" || sign == "!=") {
        return (a == b) == (sign == "==");
    }
    return sign == "<" ? a < b : sign == ">" ? a > b : sign == "<=" ? a <= b : a >= b;
}

namespace {

/// Function of every expression, and the number of its values.
struct Function {
    std::string_view name;
    std::size_t num_values;
};
constexpr std::array kFunctions{
    Function{"ceil_div", 2}, Function{"exp", 1},    Function{"floor_div", 2}, Function{"ln", 1},
    Function{"max", 2},      Function{"min", 2},    Function{"pow", 2},       Function{"ratio", 2},
    Function{"round_up", 2}, Function{"select", 3}, Function{"sqrt", 1},
};

const Function* find_function(std::string_view name) {
    const auto* const found = std::ranges::find(kFunctions, name, &Function::name);
    return found == kFunctions.end() ? nullptr : found;
}

std::vector<std::string> function_names() {
    std::vector<std::string> names;
    names.reserve(kFunctions.size());
    for (const Function& function : kFunctions) {
        names.emplace_back(function.name);
    }
    return names;
}

bool is_decimal(const Value& value) {
    return std::holds_alternative<double>(value);
}

}  // namespace

Value Operators::built_in(std::string_view name, std::span<const Value> arguments) const {
    const Function* function = find_function(name);
    if (function == nullptr) {
        refuse(fmt::format("unknown function {}, {}", name,
                           config::correction(name, function_names())));
    }
    if (arguments.size() != function->num_values) {
        refuse(fmt::format("{} takes {} value{}, found {}", name, function->num_values,
                           function->num_values == 1 ? "" : "s", arguments.size()));
    }
    if (name == "select") {
        return arguments[truth(arguments[0]) ? 1 : 2];
    }
    if (function->num_values == 1) {
        return real_function(name, number(arguments[0]));
    }
    if (name == "pow") {
        return power(arguments[0], arguments[1]);
    }
    if (name == "ratio") {
        return decimal_arithmetic(number(arguments[0]), '/', number(arguments[1]));
    }
    // The value itself is returned, so that a whole number stays whole beside a decimal.
    if (name == "min" || name == "max") {
        (void)number(arguments[0]);  // refuses words
        (void)number(arguments[1]);
        const bool is_left = compare(arguments[0], name == "min" ? "<=" : ">=", arguments[1]);
        return arguments[is_left ? 0 : 1];
    }
    return rounded(name, whole(arguments[0]), whole(arguments[1]));
}

Value Operators::rounded(std::string_view name, std::int64_t a, std::int64_t b) const {
    // Rounding is defined for counts only; for negative numbers "up" and "away from 0" differ.
    if (a < 0 || b <= 0) {
        refuse(fmt::format("{} of {} and {}; allowed: 0 or more, and 1 or more", name, a, b));
    }
    const std::int64_t quotient = a / b + (name != "floor_div" && a % b != 0 ? 1 : 0);
    return name == "round_up" ? quotient * b : quotient;
}

Value Operators::real_function(std::string_view name, double x) const {
    if (name == "sqrt" && x < 0) {
        refuse(fmt::format("sqrt of {}; allowed: 0 or more", x));
    }
    if (name == "ln" && x <= 0) {
        refuse(fmt::format("ln of {}; allowed: more than 0", x));
    }
    return finite(name == "sqrt" ? std::sqrt(x) : name == "ln" ? std::log(x) : std::exp(x));
}

Value Operators::power(const Value& base, const Value& exponent) const {
    // A whole base with an exponent of 0, 1, 2, … stays whole and exact; others are decimals.
    const auto* times = std::get_if<std::int64_t>(&exponent);
    if (!is_decimal(base) && times != nullptr && *times >= 0) {
        return whole_power(whole(base), *times);
    }
    const double x = number(base);
    const double y = number(exponent);
    if (x == 0 && y < 0) {
        refuse("division by 0");
    }
    if (x < 0 && y != std::floor(y)) {
        refuse(fmt::format("{} to the power of {}; allowed: a base of 0 or more", x, y));
    }
    return finite(std::pow(x, y));
}

// Repeated products, which are exact and checked; std::pow would round above 2^53.
Value Operators::whole_power(std::int64_t base, std::int64_t exponent) const {
    std::int64_t result = 1;
    // Powers of 0, 1 and -1 do not grow, so their exponents would have no bound.
    const bool is_unit = base >= -1 && base <= 1;
    const std::int64_t factors = is_unit && exponent > 2 ? 2 + exponent % 2 : exponent;
    for (std::int64_t i = 0; i < factors; ++i) {
        result = std::get<std::int64_t>(arithmetic(result, '*', base));
    }
    return result;
}

// Infinity is refused: before, 1 / 0.0 was infinite without a message.
Value Operators::finite(double value) const {
    if (!std::isfinite(value)) {
        refuse("the result does not fit in a decimal of 64 bits");
    }
    return value;
}

double Operators::number(const Value& value) const {
    if (const auto* word = std::get_if<std::string>(&value)) {
        // A word that the text does not have is the value of a name in it.
        if (text_.find(*word) == std::string_view::npos) {
            refuse(fmt::format("{} is a word, allowed: numbers", *word));
        }
        // An unknown word is nearly always a misspelt name.
        refuse(fmt::format("{} is unknown, {}", *word, config::correction(*word, scope_.names())));
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
            refuse(
                fmt::format("{} does not divide {}; use ceil_div or floor_div, or ratio for a "
                            "decimal",
                            b, a));
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
    if (sign == '/' && b == 0) {
        refuse("division by 0");
    }
    switch (sign) {
        case '+':
            return finite(a + b);
        case '-':
            return finite(a - b);
        case '*':
            return finite(a * b);
        case '/':
            return finite(a / b);
        default:
            refuse("% takes whole numbers");
    }
}

}  // namespace tessera::pipeline
