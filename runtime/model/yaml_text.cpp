// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/yaml_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::model {
namespace {

/// A key with its value, or with the keys below it.
struct Tree {
    std::string key;
    std::string value = {};
    std::string about = {};
    std::vector<Tree> below = {};
};

void insert(Tree& tree, std::string_view path, const PathValue& value) {
    const std::size_t dot = path.find('.');
    const std::string key(path.substr(0, dot));
    auto found = std::ranges::find(tree.below, key, &Tree::key);
    if (found == tree.below.end()) {
        tree.below.push_back({key});
        found = tree.below.end() - 1;
    }
    if (dot == std::string_view::npos) {
        *found = {key, value.value, value.about, {}};
    } else {
        insert(*found, path.substr(dot + 1), value);
    }
}

std::string text_of(const Tree& tree, const std::string& indent) {
    std::string text;
    for (const Tree& child : tree.below) {
        const std::string line =
            indent + child.key + ":" + (child.below.empty() ? " " + child.value : std::string());
        text += child.about.empty() ? line + "\n" : fmt::format("{:<41} # {}\n", line, child.about);
        text += text_of(child, indent + "  ");
    }
    return text;
}

}  // namespace

std::string yaml_text(const std::vector<PathValue>& values) {
    Tree root;
    for (const PathValue& value : values) {
        insert(root, value.path, value);
    }
    return text_of(root, "");
}

}  // namespace tessera::model
