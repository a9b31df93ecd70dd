// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/tree_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tessera/errors.hpp"

namespace tessera::config {

void TreeBuilder::refuse(const Origin& origin, const std::string& message) {
    throw ConfigError(fmt::format("{}: {}", to_string(origin), message));
}

// yaml-cpp's events do not distinguish keys from values; in a map they alternate.
bool TreeBuilder::expects_key() const {
    return !frames_.empty() && frames_.back().node.kind == NodeKind::Map && !frames_.back().has_key;
}

void TreeBuilder::set_key(Frame& frame, const Node& node) {
    // A set in addition to the list: a search in the list took minutes for 100000 keys.
    if (!frame.keys.insert(node.text).second) {
        const auto first = std::ranges::find(frame.node.entries, node.text, &Entry::key);
        refuse(node.origin,
               fmt::format("{}: duplicate key, first at {}", node.text, to_string(first->origin)));
    }
    frame.pending = {node.text, node.origin, {}};
    frame.has_key = true;
}

void TreeBuilder::add(Node node) {
    if (expects_key()) {
        if (node.kind != NodeKind::Scalar) {
            refuse(node.origin, "a key must be plain text, found " + describe(node));
        }
        set_key(frames_.back(), node);
        return;
    }
    if (frames_.empty()) {
        document_.push_back(std::move(node));
        return;
    }
    Frame& frame = frames_.back();
    if (frame.node.kind == NodeKind::Sequence) {
        frame.node.elements.push_back(std::move(node));
        return;
    }
    if (node.kind == NodeKind::Null) {
        node.origin = frame.pending.origin;  // yaml-cpp reports the position of the next node
    }
    frame.pending.value = std::move(node);
    frame.node.entries.push_back(std::move(frame.pending));
    frame.has_key = false;
}

void TreeBuilder::open(Node node) {
    if (expects_key()) {
        refuse(node.origin, "a key must be plain text, found " + describe(node));
    }
    frames_.push_back({std::move(node), {}, {}, false});
}

void TreeBuilder::close() {
    Node node = std::move(frames_.back().node);
    frames_.pop_back();
    add(std::move(node));
}

Node TreeBuilder::finish(const Origin& place) {
    if (document_.empty()) {
        return {.kind = NodeKind::Null, .origin = place};
    }
    return std::move(document_.front());
}

}  // namespace tessera::config
