// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/run_file.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace tessera::config {
namespace {

constexpr std::string_view kArchKey = "arch";

std::string quoted(const Node& node) {
    return node.style == ScalarStyle::Quoted ? nlohmann::json(node.text).dump() : node.text;
}

/// An override of the device is its own source: numbers there carry one.
std::string fact_of(const Node& node) {
    return fmt::format("{{value: {}, source: {}}}", to_yaml(node),
                       nlohmann::json(node.origin.text).dump());
}

bool is_flow(const Node& node) {
    return node.kind != NodeKind::Map || node.entries.empty();
}

std::string lines_of(const Node& map, std::size_t indent, bool is_arch) {
    std::string text;
    for (const Entry& entry : map.entries) {
        const Node& value = entry.value;
        const bool is_replaced =
            is_arch && value.origin.kind == OriginKind::Override && value.kind != NodeKind::Map;
        text += fmt::format("{:{}}{}:", "", indent, entry.key);
        if (is_replaced) {
            text += " " + fact_of(value) + "\n";
        } else if (is_flow(value)) {
            text += " " + (value.kind == NodeKind::Scalar ? quoted(value) : to_yaml(value)) + "\n";
        } else {
            text += "\n" + lines_of(value, indent + 2, is_arch);
        }
    }
    return text;
}

}  // namespace

std::string to_run_file(const LoadedRun& loaded) {
    std::string text;
    for (const Entry& entry : loaded.tree.entries) {
        text += entry.key + ":";
        text += is_flow(entry.value) ? " " + to_yaml(entry.value) + "\n"
                                     : "\n" + lines_of(entry.value, 2, entry.key == kArchKey);
    }
    return text;
}

}  // namespace tessera::config
