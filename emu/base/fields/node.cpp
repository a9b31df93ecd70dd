// SPDX-License-Identifier: Apache-2.0
#include "emu/base/fields/node.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace tessera::config {

const Node* Node::find(std::string_view key) const {
    const auto entry = std::ranges::find(entries, key, &Entry::key);
    return entry == entries.end() ? nullptr : &entry->value;
}

Node* Node::find(std::string_view key) {
    return const_cast<Node*>(std::as_const(*this).find(key));
}

std::string describe(const Node& node) {
    switch (node.kind) {
        case NodeKind::Null:
            return "nothing";
        case NodeKind::Scalar:
            return node.style == ScalarStyle::Quoted ? fmt::format("the text \"{}\"", node.text)
                                                     : fmt::format("'{}'", node.text);
        case NodeKind::Sequence:
            return fmt::format("a list of {}", node.elements.size());
        case NodeKind::Map:
            return "a map";
    }
    return "?";
}

std::string to_yaml(const Node& node) {
    std::vector<std::string> parts;
    switch (node.kind) {
        case NodeKind::Null:
            return "null";
        case NodeKind::Scalar:
            return node.style == ScalarStyle::Quoted ? nlohmann::json(node.text).dump() : node.text;
        case NodeKind::Sequence:
            for (const Node& element : node.elements) {
                parts.push_back(to_yaml(element));
            }
            return fmt::format("[{}]", fmt::join(parts, ", "));
        case NodeKind::Map:
            for (const Entry& entry : node.entries) {
                parts.push_back(entry.key + ": " + to_yaml(entry.value));
            }
            return fmt::format("{{{}}}", fmt::join(parts, ", "));
    }
    return "?";
}

}  // namespace tessera::config
