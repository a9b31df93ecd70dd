// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/spelling.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace tessera::score {
namespace {

std::vector<std::string> parts_of(std::string_view text) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(';'), text.size());
        parts.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

void turn_arrows(std::string& text) {
    for (std::size_t at = text.find("<-"); at != std::string::npos; at = text.find("<-")) {
        text[at] = '-';
        text[at + 1] = '>';
    }
}

/// Removes the value of `key=` from the parts and returns it; empty if there is none.
std::string take(std::vector<std::string>& parts, std::string_view key) {
    for (auto part = parts.begin(); part != parts.end(); ++part) {
        if (part->starts_with(key)) {
            std::string value = part->substr(key.size());
            parts.erase(part);
            return value;
        }
    }
    return "";
}

}  // namespace

std::string respelled(std::string_view parameters) {
    std::vector<std::string> parts = parts_of(parameters);
    std::erase(parts, "grid=one row");
    std::erase(parts, "grid=one column");
    const std::string others = take(parts, "other_flows=");
    for (std::string& part : parts) {
        if (!part.starts_with("flow=")) {
            continue;
        }
        part += others.empty() ? "" : " " + others;
        turn_arrows(part);
    }
    return fmt::format("{}", fmt::join(parts, ";"));
}

}  // namespace tessera::score
