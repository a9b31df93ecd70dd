// SPDX-License-Identifier: Apache-2.0
// Values of expressions in run files, and the scopes that bind names to values.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tessera::pipeline {

/// Value of an expression: a whole number, a decimal, or a word (one of a key's choices).
using Value = std::variant<std::int64_t, double, std::string>;
/// Returns the value as text, for messages and for ${…}.
[[nodiscard]] std::string show(const Value& value);

/// Names that an expression may use. An inner scope hides names of its outer scopes.
class Scope {
public:
    explicit Scope(const Scope* outer = nullptr) : outer_(outer) {}

    void set(const std::string& name, Value value) {
        later_.erase(name);
        values_[name] = {std::move(value), std::make_shared<std::atomic<bool>>(false)};
    }
    /// Announces a name that gets its value later. Until then an expression may not use it: it
    /// would be taken for a word.
    void announce(const std::string& name) { later_.insert(name); }
    [[nodiscard]] bool is_announced(std::string_view name) const;
    /// Function of an expression. A tensor's name is passed as a word: "address(x)".
    using Function = std::function<Value(std::span<const Value> arguments)>;
    void set_function(const std::string& name, Function function) {
        functions_[name] = std::move(function);
    }

    [[nodiscard]] const Value* find(std::string_view name) const;
    [[nodiscard]] const Function* function(std::string_view name) const;
    /// Returns a copy with the names of all outer scopes, which does not refer to those scopes.
    [[nodiscard]] Scope flat() const;
    /// Returns all names, also of outer scopes, for "did you mean".
    [[nodiscard]] std::vector<std::string> names() const;
    /// Returns whether find() has found this name, in this scope or in a flat() copy of it.
    [[nodiscard]] bool is_read(std::string_view name) const;

private:
    /// Copies share the flag. Programs of several devices are built at the same time.
    struct Held {
        Value value;
        std::shared_ptr<std::atomic<bool>> is_read;
    };

    const Scope* outer_;
    std::map<std::string, Held, std::less<>> values_;
    std::set<std::string, std::less<>> later_;
    std::map<std::string, Function, std::less<>> functions_;
};

}  // namespace tessera::pipeline
