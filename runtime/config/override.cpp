// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/override.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/config/read.hpp"
#include "runtime/log/log.hpp"
#include "tessera/errors.hpp"

namespace tessera::config {
namespace {

std::vector<std::string> split_path(const Override& override) {
    std::vector<std::string> parts{""};
    for (const char letter : override.path) {
        if (letter == '.') {
            parts.emplace_back();
        } else {
            parts.back() += letter;
        }
    }
    if (std::ranges::find(parts, "") != parts.end()) {
        throw ConfigError(fmt::format("{}: '{}' is no key path, write key.path=value",
                                      override.origin, override.path));
    }
    return parts;
}

/// The entry's value below `map`, added if it is missing.
Node& child(Node& map, const std::string& key, const Origin& origin) {
    if (Node* found = map.find(key)) {
        return *found;
    }
    map.entries.push_back({key, origin, {.kind = NodeKind::Null, .origin = origin}});
    return map.entries.back().value;
}

}  // namespace

Override parse_set(const std::string& text) {
    const std::string origin = "--set " + text;
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
        throw ConfigError(origin + ": expected key.path=value");
    }
    return {text.substr(0, equals), text.substr(equals + 1), origin};
}

std::vector<Override> parse_sets(std::span<const std::string> texts) {
    std::vector<Override> overrides;
    for (const std::string& text : texts) {
        overrides.push_back(parse_set(text));
    }
    return overrides;
}

void apply(const Override& override, Node& root) {
    const Origin origin{OriginKind::Override, override.origin, 0, 0};
    Node* node = &root;
    std::string walked;
    for (const std::string& part : split_path(override)) {
        if (node->kind == NodeKind::Null) {
            *node = {.kind = NodeKind::Map, .origin = origin};
        }
        if (node->kind != NodeKind::Map) {
            throw ConfigError(fmt::format("{}: {} is {} and has no keys below it", override.origin,
                                          walked, describe(*node)));
        }
        walked += (walked.empty() ? "" : ".") + part;
        node = &child(*node, part, origin);
    }
    Node value = read_text_at(override.value, origin);
    // `--set params.tokens=64` where the file has {value: 128, range: …}: its limits stand. A fact
    // of a device model, which has a source, is replaced as a whole: the source was the old one's.
    Node* old = node->kind == NodeKind::Map && node->find("source") == nullptr ? node->find("value")
                                                                               : nullptr;
    *(old != nullptr && value.kind == NodeKind::Scalar ? old : node) = std::move(value);
    log::debug(log::Area::Config, "{} = {}, set by {}", override.path, override.value,
               override.origin);
}

void overlay(Node& base, const Node& top) {
    // A number with a source of its own is another one: the range was that of the old one.
    const bool is_fact =
        top.kind == NodeKind::Map && top.find("value") != nullptr && top.find("source") != nullptr;
    if (base.kind == NodeKind::Map && top.kind == NodeKind::Scalar &&
        base.find("value") != nullptr && base.find("source") == nullptr) {
        *base.find("value") = top;
        return;
    }
    if (is_fact || base.kind != NodeKind::Map || top.kind != NodeKind::Map) {
        base = top;
        return;
    }
    for (const Entry& entry : top.entries) {
        if (Node* below = base.find(entry.key)) {
            overlay(*below, entry.value);
        } else {
            base.entries.push_back(entry);
        }
    }
}

Node take(Node& map, std::string_view key) {
    const auto entry = std::ranges::find(map.entries, key, &Entry::key);
    if (entry == map.entries.end()) {
        return {};
    }
    Node value = std::move(entry->value);
    map.entries.erase(entry);
    return value;
}

}  // namespace tessera::config
