// SPDX-License-Identifier: Apache-2.0
// Builds a tree of nodes from the events of a YAML parser.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "emu/base/fields/node.hpp"

namespace tessera::config {

/// Builder of one document.
class TreeBuilder {
public:
    /// Adds a scalar or null: a key, a map's value, an element, or the whole document.
    /// Errors   ConfigError for a duplicate key of a map, or a key that is not plain text.
    void add(Node node);
    /// Opens a sequence or map; the following nodes belong to it until close().
    void open(Node node);
    void close();
    /// Returns the document; Null at `place` if nothing was added.
    [[nodiscard]] Node finish(const Origin& place);

    /// Throws ConfigError `origin: message`.
    [[noreturn]] static void refuse(const Origin& origin, const std::string& message);

private:
    /// Sequence or map under construction; `pending` is a key without its value.
    struct Frame {
        Node node;
        Entry pending;
        std::unordered_set<std::string> keys;  ///< keys of the map so far
        bool has_key = false;
    };

    [[nodiscard]] bool expects_key() const;
    void set_key(Frame& frame, const Node& node);

    std::vector<Frame> frames_;
    std::vector<Node> document_;  ///< empty or one
};

}  // namespace tessera::config
