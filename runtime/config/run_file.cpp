// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/run_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <vector>

#include "tessera/errors.hpp"

namespace tessera::config {
namespace {

constexpr std::string_view kArchPrefix = "arch.";

std::vector<std::string> parts_of(const std::string& path) {
    std::vector<std::string> parts{""};
    for (const char letter : path) {
        if (letter == '.') {
            parts.emplace_back();
        } else {
            parts.back() += letter;
        }
    }
    return parts;
}

// Enumerators and names stand plain, since quoted text is no enumerator; others in quotes.
std::string yaml_of(const ResolvedValue& value) {
    const bool is_text = value.json.starts_with('"');
    const bool is_word = std::ranges::all_of(value.text, [](char letter) {
        return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' ||
               letter == '.' || letter == '/' || letter == '-';
    });
    return is_text && !is_word ? value.json : value.text;
}

std::string fact_yaml(const ResolvedValue& value) {
    const std::string range = value.fact->range ? ", range: " + *value.fact->range : "";
    return fmt::format("{{value: {}, source: {}{}}}", yaml_of(value),
                       nlohmann::json(value.fact->source).dump(), range);
}

/// The file that an arch's own values come from, which is that of its name: it is never replaced.
std::string arch_file_of(const Resolved& resolved) {
    const ResolvedValue* name = find(resolved, "arch.name");
    return name == nullptr ? "" : name->origin.text;
}

bool is_written(const ResolvedValue& value, const std::string& arch_file) {
    return !value.path.starts_with(kArchPrefix) ||
           (value.origin.kind != OriginKind::Default && value.origin.text != arch_file);
}

/// Lines of one key: those of its sections that the key before did not open, and its own.
std::string lines_of(const ResolvedValue& value, std::vector<std::string>& open) {
    require(value.path.find('[') == std::string::npos,
            "{} is part of a list: a run file cannot replace it alone", value.path);
    const std::vector<std::string> parts = parts_of(value.path);
    const auto [last, first] = std::ranges::mismatch(open, parts);
    std::string text;
    for (auto part = first; part != parts.end(); ++part) {
        const auto depth = static_cast<std::size_t>(part - parts.begin());
        text += std::string(2 * depth, ' ') + *part + ":";
        text += part + 1 == parts.end()
                    ? " " + (value.fact ? fact_yaml(value) : yaml_of(value)) + "\n"
                    : "\n";
    }
    open.assign(parts.begin(), parts.end() - 1);
    return text;
}

}  // namespace

std::string to_run_file(const LoadedRun& loaded) {
    const std::string arch_file = arch_file_of(loaded.resolved);
    std::string text;
    std::vector<std::string> open;
    for (const ResolvedValue& value : loaded.resolved) {
        if (is_written(value, arch_file)) {
            text += lines_of(value, open);
        }
    }
    return text;
}

}  // namespace tessera::config
