// SPDX-License-Identifier: Apache-2.0
// Puts the events of a YAML parser together into a tree of nodes.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "emu/base/fields/node.hpp"

namespace tessera::config {

class TreeBuilder {
public:
    /// Adds a scalar or null: a key, a map's value, an element, or the whole document.
    /// Errors   ConfigError if it is a key that stands twice in its map or is no plain text.
    void add(Node node);
    /// Opens a sequence or map, to which the following nodes belong up to close().
    void open(Node node);
    void close();
    /// The document; Null at `place` if nothing was added.
    [[nodiscard]] Node finish(const Origin& place);

    /// Throws ConfigError `origin: message`.
    [[noreturn]] static void refuse(const Origin& origin, const std::string& message);

private:
    /// A sequence or map under construction; `key` waits for its value.
    struct Frame {
        Node node;
        Entry pending;
        std::unordered_set<std::string> keys;  ///< of the map until here
        bool has_key = false;
    };

    [[nodiscard]] bool expects_key() const;
    void set_key(Frame& frame, const Node& node);

    std::vector<Frame> frames_;
    std::vector<Node> document_;  ///< empty or one
};

}  // namespace tessera::config
