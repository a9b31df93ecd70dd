// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/violations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "tessera/errors.hpp"

namespace tessera::config {

void Violations::add(const Origin& origin, const std::string& path, const std::string& text) {
    std::string message = fmt::format("{}: {}: {}", to_string(origin), path, text);
    // A mistake of a repeated step occurs in each repetition, at one position.
    if (found_.empty() || found_.back().message != message) {
        found_.push_back({origin, std::move(message)});
    }
}

bool Violations::has(const Origin& origin, const std::string& path) const {
    const std::string place = fmt::format("{}: {}: ", to_string(origin), path);
    return std::ranges::any_of(
        found_, [&](const Violation& violation) { return violation.message.starts_with(place); });
}

bool Violations::has_below(const std::string& path) const {
    return std::ranges::any_of(found_, [&](const Violation& violation) {
        return violation.message.find(": " + path + ".") != std::string::npos;
    });
}

void Violations::append(const Violations& others) {
    found_.insert(found_.end(), others.found_.begin(), others.found_.end());
}

void Violations::throw_if_any() const {
    if (found_.empty()) {
        return;
    }
    auto sorted = found_;
    // Blocks are bound in another order than they have in the file.
    std::ranges::stable_sort(sorted, {}, [](const Violation& violation) {
        const Origin& at = violation.origin;
        const bool is_file = at.kind == OriginKind::File;
        return std::make_tuple(!is_file, is_file ? at.text : "", at.line, at.column);
    });
    std::string message = sorted.front().message;
    for (std::size_t i = 1; i < sorted.size(); ++i) {
        message += "\n" + sorted[i].message;
    }
    throw ConfigError(message);
}

}  // namespace tessera::config
