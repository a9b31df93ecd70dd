// SPDX-License-Identifier: Apache-2.0
#include "runtime/steps/scope.hpp"

#include <fmt/format.h>

namespace tessera::pipeline {

std::string show(const Value& value) {
    return std::visit([](const auto& held) { return fmt::format("{}", held); }, value);
}

const Value* Scope::find(std::string_view name) const {
    // Inner names hide outer ones: a counter of a repetition may have the name of a param.
    const auto found = values_.find(name);
    if (found != values_.end()) {
        found->second.is_read->store(true, std::memory_order_relaxed);
        return &found->second.value;
    }
    return outer_ == nullptr ? nullptr : outer_->find(name);
}

bool Scope::is_announced(std::string_view name) const {
    return later_.contains(name) || (outer_ != nullptr && outer_->is_announced(name));
}

bool Scope::is_read(std::string_view name) const {
    const auto found = values_.find(name);
    return found != values_.end() && found->second.is_read->load(std::memory_order_relaxed);
}

const Scope::Function* Scope::function(std::string_view name) const {
    const auto found = functions_.find(name);
    if (found != functions_.end()) {
        return &found->second;
    }
    return outer_ == nullptr ? nullptr : outer_->function(name);
}

// Outer names first, so that inner ones replace them.
Scope Scope::flat() const {
    Scope all = outer_ == nullptr ? Scope() : outer_->flat();
    for (const auto& [name, held] : values_) {
        all.values_[name] = held;
    }
    for (const auto& [name, function] : functions_) {
        all.set_function(name, function);
    }
    return all;
}

// Names are for messages, which propose the nearest to a misspelt one.
std::vector<std::string> Scope::names() const {
    std::vector<std::string> names =
        outer_ == nullptr ? std::vector<std::string>{} : outer_->names();
    for (const auto& [name, value] : values_) {
        names.push_back(name);
    }
    return names;
}

}  // namespace tessera::pipeline
