// SPDX-License-Identifier: Apache-2.0
// Values, and the names that stand for them in expressions of run files.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tessera::pipeline {

/// A whole number, a decimal or a word (of a choice).
using Value = std::variant<std::int64_t, double, std::string>;
[[nodiscard]] std::string show(const Value& value);

/// Names that an expression may use. The innermost scope that knows a name counts.
class Scope {
public:
    explicit Scope(const Scope* outer = nullptr) : outer_(outer) {}

    void set(std::string name, Value value) { values_[std::move(name)] = std::move(value); }
    /// Adds a function; arguments are not evaluated where it takes names: "address(x)".
    using Function = std::function<Value(std::span<const Value> arguments)>;
    void set_function(std::string name, Function function) {
        functions_[std::move(name)] = std::move(function);
    }

    [[nodiscard]] const Value* find(std::string_view name) const;
    [[nodiscard]] const Function* function(std::string_view name) const;
    /// All that it knows, of outer scopes too, without them.
    [[nodiscard]] Scope flat() const;
    /// All names, for "did you mean".
    [[nodiscard]] std::vector<std::string> names() const;

private:
    const Scope* outer_;
    std::map<std::string, Value, std::less<>> values_;
    std::map<std::string, Function, std::less<>> functions_;
};

}  // namespace tessera::pipeline
