// SPDX-License-Identifier: Apache-2.0
#include "runtime/steps/expression.hpp"

#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

#include "emu/base/fields/nearest.hpp"
#include "runtime/steps/operators.hpp"

namespace tessera::pipeline {
namespace {

// Limit of nested parentheses, signs, powers and calls. Each level takes a few recursion frames,
// and run files may come from any source: a file of parentheses must not overflow the stack.
constexpr std::uint32_t kDeepestNesting = 64;

bool is_word_start(char letter) {
    return std::isalpha(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

bool is_word_part(char letter) {
    return is_word_start(letter) || std::isdigit(static_cast<unsigned char>(letter)) != 0 ||
           letter == '.';
}

/// Recursive descent over the text: one function per level of precedence, loosest first. Values are
/// computed while parsing; there is no syntax tree.
class Evaluator {
public:
    Evaluator(std::string_view text, const Scope& scope)
        : text_(text), scope_(scope), on_(text, scope) {}

    Value run() {
        Value value = any_of();
        skip_blanks();
        if (at_ != text_.size()) {
            on_.refuse(fmt::format("'{}' is not understood", text_.substr(at_)));
        }
        return value;
    }

private:
    // Blanks only: an expression is one line of YAML.
    void skip_blanks() {
        while (at_ < text_.size() && text_[at_] == ' ') {
            ++at_;
        }
    }
    bool take(std::string_view token) {
        skip_blanks();
        if (!text_.substr(at_).starts_with(token)) {
            return false;
        }
        at_ += token.size();
        return true;
    }
    void expect(std::string_view token) {
        if (!take(token)) {
            on_.refuse(fmt::format("'{}' is missing", token));
        }
    }

    Value any_of() {
        Value left = all_of();
        while (take("||")) {
            // Reading and computing are one pass: the right side is evaluated in any case.
            const Value right = all_of();
            left = std::int64_t{on_.truth(left) || on_.truth(right)};
        }
        return left;
    }
    Value all_of() {
        // `&&` is one level below `||`: it binds more tightly, as in C++.
        Value left = comparison();
        while (take("&&")) {
            const Value right = comparison();
            left = std::int64_t{on_.truth(left) && on_.truth(right)};
        }
        return left;
    }

    Value comparison() {
        Value left = sum();
        // Two-letter signs come first, or "<=" would be read as "<". Comparisons do not chain.
        for (const std::string_view sign : {"==", "!=", "<=", ">=", "<", ">"}) {
            if (take(sign)) {
                return std::int64_t{on_.compare(left, sign, sum())};
            }
        }
        return left;
    }
    Value sum() {
        Value left = product();
        for (;;) {
            if (take("+")) {
                left = on_.arithmetic(left, '+', product());
            } else if (take("-")) {
                left = on_.arithmetic(left, '-', product());
            } else {
                return left;
            }
        }
    }
    Value product() {
        Value left = factor();
        for (;;) {
            // A power is read by factor().
            if (take("*")) {
                left = on_.arithmetic(left, '*', factor());
            } else if (take("/")) {
                left = on_.arithmetic(left, '/', factor());
            } else if (take("%")) {
                left = on_.arithmetic(left, '%', factor());
            } else {
                return left;
            }
        }
    }
    // A power binds more tightly than a sign before its base, and its exponent may have a sign:
    // -2 ** 2 is -4, and 192 ** -0.5 a decimal.
    Value factor() {
        Value base = unsigned_factor();
        if (!take("**")) {
            return base;
        }
        return on_.power(base, nested("powers", [&] { return factor(); }));
    }
    template <class Inner>
    Value nested(const char* what, Inner inner) {
        if (++depth_ > kDeepestNesting) {
            on_.refuse(
                fmt::format("{} are nested too deeply, allowed: {} levels", what, kDeepestNesting));
        }
        Value value = inner();
        --depth_;
        return value;
    }
    Value unsigned_factor() {
        if (take("-")) {
            // A subtraction, so that -x has the overflow and type checks of x - y.
            return on_.arithmetic(std::int64_t{0}, '-', nested("signs", [&] { return factor(); }));
        }
        if (take("!")) {
            return std::int64_t{!on_.truth(nested("signs", [&] { return factor(); }))};
        }
        if (take("(")) {
            Value value = nested("parentheses", [&] { return any_of(); });
            expect(")");
            return value;
        }
        return operand();
    }

    Value operand() {
        skip_blanks();
        if (at_ == text_.size()) {
            on_.refuse("a number or a name is missing at the end");
        }
        if (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) {
            return literal();
        }
        if (!is_word_start(text_[at_])) {
            on_.refuse(fmt::format("expected a number or a name, found '{}'", text_.substr(at_)));
        }
        const std::size_t first = at_;
        while (at_ < text_.size() && is_word_part(text_[at_])) {
            ++at_;
        }
        const std::string_view name = text_.substr(first, at_ - first);
        if (take("(")) {
            return call(name);
        }
        // A choice of a schedule is written without quotes: `activation == fused`.
        const Value* value = scope_.find(name);
        if (value == nullptr && scope_.is_announced(name)) {
            on_.refuse(
                fmt::format("{} is defined further down; a param may use those above it", name));
        }
        return value == nullptr ? Value(std::string(name)) : *value;
    }

    // A whole number unless it has a point or an exponent: counts must stay exact above 2^53.
    Value literal() {
        const char* const begin = text_.data() + at_;
        const char* const end = text_.data() + text_.size();
        if (text_.substr(at_).starts_with("0x")) {
            std::int64_t whole = 0;
            const auto [rest, error] = std::from_chars(begin + 2, end, whole, 16);
            return finish_literal(rest, error, whole);
        }
        std::int64_t whole = 0;
        const auto [rest, error] = std::from_chars(begin, end, whole);
        if (rest == end || (*rest != '.' && *rest != 'e')) {
            return finish_literal(rest, error, whole);
        }
        double decimal = 0;
        const auto [stop, wrong] = std::from_chars(begin, end, decimal);
        return finish_literal(stop, wrong, decimal);
    }
    Value finish_literal(const char* rest, std::errc error, Value value) {
        if (error != std::errc{}) {
            on_.refuse("a number is out of range");
        }
        at_ = static_cast<std::size_t>(rest - text_.data());
        return value;
    }

    Value call(std::string_view name) {
        std::vector<Value> arguments;
        if (!take(")")) {
            do {
                arguments.push_back(nested("calls", [&] { return any_of(); }));
            } while (take(","));
            expect(")");
        }
        // Functions of the scope come before built-in ones.
        if (const Scope::Function* function = scope_.function(name)) {
            return (*function)(arguments);
        }
        return on_.built_in(name, arguments);
    }
    std::string_view text_;
    const Scope& scope_;
    Operators on_;
    std::size_t at_ = 0;
    std::uint32_t depth_ = 0;
};

}  // namespace

std::string shortened(std::string_view text) {
    constexpr std::size_t kMost = 200;
    return text.size() <= kMost ? std::string(text) : std::string(text.substr(0, kMost)) + "…";
}

Value evaluate(std::string_view text, const Scope& scope) {
    return Evaluator(text, scope).run();
}

namespace {

Value evaluate_number(std::string_view text, const Scope& scope) {
    Value value = evaluate(text, scope);
    if (const auto* word = std::get_if<std::string>(&value)) {
        // A word here is nearly always a misspelt name.
        const auto names = scope.names();
        throw UsageError(names.empty() ? fmt::format("'{}' is not a number", *word)
                                       : fmt::format("{} is unknown, {}", *word,
                                                     config::correction(*word, names)));
    }
    return value;
}

}  // namespace

namespace {

/// Returns the expression and its value, or one of them if they are the same text.
std::string value_text(std::string_view text, const Value& value) {
    const std::string shown = show(value);
    return text == shown ? "is " + shown : fmt::format("'{}' is {}", text, shown);
}

/// Returns what to do about a whole number that is not a count: 1e3 and 4.0 are decimals.
std::string cure_of_decimal(const Value& value) {
    const auto* decimal = std::get_if<double>(&value);
    const bool is_whole = decimal != nullptr && std::floor(*decimal) == *decimal;
    return is_whole ? "; write it without point and exponent" : "";
}

}  // namespace

std::uint32_t evaluate_count(std::string_view text, const Scope& scope, std::uint32_t fewest) {
    const Value value = evaluate_number(text, scope);
    const auto* whole = std::get_if<std::int64_t>(&value);
    constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
    require(whole != nullptr && *whole >= std::int64_t{fewest} && *whole <= kMost,
            "{}; allowed: a whole number, {} to {}{}", value_text(text, value), fewest, kMost,
            cure_of_decimal(value));
    return static_cast<std::uint32_t>(*whole);
}

std::int64_t evaluate_integer(std::string_view text, const Scope& scope) {
    const Value value = evaluate_number(text, scope);
    const auto* whole = std::get_if<std::int64_t>(&value);
    require(whole != nullptr, "{}; allowed: a whole number{}", value_text(text, value),
            cure_of_decimal(value));
    return *whole;
}

bool evaluate_condition(std::string_view text, const Scope& scope) {
    const Value value = evaluate(text, scope);
    const std::string word = show(value);
    require(word == "true" || word == "false" || std::holds_alternative<std::int64_t>(value),
            "'{}' is {}; allowed: a comparison, true or false", text, word);
    // A number is a condition, too: 0 is false.
    return word != "false" && word != "0";
}

// ${…} may contain any expression: "expert_${l * 2}".
std::string substitute(std::string_view text, const Scope& scope) {
    std::string result;
    for (;;) {
        const std::size_t open = text.find("${");
        result += text.substr(0, open);
        if (open == std::string_view::npos) {
            return result;
        }
        const std::size_t close = text.find('}', open);
        require(close != std::string_view::npos, "'{}': '}}' is missing", text);
        const std::string_view inner = text.substr(open + 2, close - open - 2);
        const Value value = evaluate(inner, scope);
        // An unknown name evaluates to itself as a word. Here that is a typing error: a kernel path
        // or tensor name with the bare word in it would be missing later, far from its cause. The
        // words that a function chooses from are meant.
        const bool is_chosen = inner.find('(') != std::string_view::npos;
        require(!std::holds_alternative<std::string>(value) || is_chosen ||
                    scope.find(inner) != nullptr,
                "'{}': {} is unknown, {}", text, show(value),
                config::correction(show(value), scope.names()));
        result += show(value);
        text.remove_prefix(close + 1);
    }
}

}  // namespace tessera::pipeline
