// SPDX-License-Identifier: Apache-2.0
// A YAML document as a tree whose keys and values have file locations.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "emu/base/fields/origin.hpp"

namespace tessera::config {

enum class NodeKind : std::uint8_t { Null, Scalar, Sequence, Map };
enum class ScalarStyle : std::uint8_t { Plain, Quoted };

struct Entry;

struct Node {
    NodeKind kind = NodeKind::Null;
    Origin origin;
    std::string text{};                      ///< for a scalar
    ScalarStyle style = ScalarStyle::Plain;  ///< for a scalar
    std::vector<Node> elements;              ///< for a sequence
    std::vector<Entry> entries;              ///< for a map, in file order

    /// Returns the value of the first entry with this key, or nullptr.
    [[nodiscard]] const Node* find(std::string_view key) const;
    [[nodiscard]] Node* find(std::string_view key);
};

struct Entry {
    std::string key;
    Origin origin;  ///< location of the key
    Node value;
};

/// Describes a node for messages: "'128'", "a list of 3", "a map", "nothing".
[[nodiscard]] std::string describe(const Node& node);

/// Returns the node in flow style: "[1, 4]", "{value: 9 cycles, source: x}", "\"1\"" for quoted
/// text.
[[nodiscard]] std::string to_yaml(const Node& node);

}  // namespace tessera::config
