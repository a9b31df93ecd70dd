// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/program_values.hpp"

namespace tessera::config {

bool ProgramValues::is_map(const Node& node, const std::string& path) {
    if (node.kind != NodeKind::Map) {
        binder_.mistake(node, path, "expected a map, found " + describe(node));
    }
    return node.kind == NodeKind::Map;
}

void ProgramValues::text(const Node& map, std::string_view key, const std::string& path,
                         std::string& member) {
    const Node* node = map.find(key);
    if (node == nullptr) {
        return;
    }
    if (!binder_.is_word(*node, fmt::format("{}.{}", path, key), "an expression")) {
        return;
    }
    // The expression stays text: its value depends on the device and the core, and is computed when
    // the program is built.
    member = node->text;
    binder_.resolve_word(*node, fmt::format("{}.{}", path, key), member);
}

void ProgramValues::named_words(const Node& map, std::string_view key, const std::string& path,
                                std::map<std::string, std::string>& member) {
    const Node* node = map.find(key);
    if (node == nullptr) {
        return;
    }
    const std::string full = fmt::format("{}.{}", path, key);
    if (node->kind != NodeKind::Map) {
        binder_.mistake(*node, full,
                        "expected a map of names to expressions, found " + describe(*node));
        return;
    }
    for (const Entry& entry : node->entries) {
        text(*node, entry.key, full, member[entry.key]);
    }
}

void ProgramValues::words(const Node& map, std::string_view key, const std::string& path,
                          std::vector<std::string>& member) {
    const Node* node = map.find(key);
    if (node == nullptr) {
        return;
    }
    const std::string full = fmt::format("{}.{}", path, key);
    if (node->kind != NodeKind::Sequence) {
        binder_.mistake(*node, full, "expected a list, found " + describe(*node));
        return;
    }
    for (const Node& word : node->elements) {
        if (word.kind != NodeKind::Scalar) {
            binder_.mistake(word, full, "expected an expression, found " + describe(word));
            return;
        }
        member.push_back(word.text);
    }
    binder_.resolve_word(*node, full, to_yaml(*node));
}

}  // namespace tessera::config
