// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/resolved.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tessera::config {
namespace {

/// Returns one line of `explain`.
std::string line_of(const ResolvedValue& value, std::size_t width) {
    const std::string assignment = value.path + ": " + value.text;
    std::string line = fmt::format("{:<{}}  # {}", assignment, width, to_string(value.origin));
    if (value.fact) {
        line += "; " + value.fact->source;
    }
    if (value.fact && value.fact->range) {
        line += "; range " + *value.fact->range;
    }
    return line + "\n";
}

}  // namespace

const ResolvedValue* find(const Resolved& resolved, std::string_view path) {
    const auto found = std::ranges::find(resolved, path, &ResolvedValue::path);
    return found == resolved.end() ? nullptr : &*found;
}

std::string to_text(const Resolved& resolved) {
    // Comments of most lines begin in one column; one long path must not move all of them.
    constexpr std::size_t kWidest = 48;  // longer assignments push their comment aside
    std::size_t width = 0;
    for (const ResolvedValue& value : resolved) {
        width = std::max(width, std::min(value.path.size() + 2 + value.text.size(), kWidest));
    }
    std::string text;
    for (const ResolvedValue& value : resolved) {
        text += line_of(value, width);
    }
    return text;
}

nlohmann::json to_json(const Resolved& resolved) {
    nlohmann::json array = nlohmann::json::array();
    for (const ResolvedValue& value : resolved) {
        // Parsed again, so that numbers of `explain --json` are numbers.
        nlohmann::json row{{"key", value.path},
                           {"value", nlohmann::json::parse(value.json)},
                           {"origin", to_string(value.origin)}};
        if (!value.unit.empty()) {
            row["unit"] = value.unit;
        }
        if (value.fact) {
            row["source"] = value.fact->source;
        }
        if (value.fact && value.fact->range) {
            row["range"] = *value.fact->range;
        }
        array.push_back(std::move(row));
    }
    return array;
}

std::vector<const ResolvedValue*> assumed(const Resolved& resolved) {
    std::vector<const ResolvedValue*> found;
    for (const ResolvedValue& value : resolved) {
        // Reports list these, with their share of the critical path.
        if (value.fact && value.fact->source.starts_with("assumed")) {
            found.push_back(&value);
        }
    }
    return found;
}

}  // namespace tessera::config
