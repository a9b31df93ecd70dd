// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/override.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/config/read.hpp"
#include "runtime/log/log.hpp"
#include "tessera/errors.hpp"

namespace tessera::config {
namespace {

/// Splits a key path at its dots. Names in run files have no dots for this reason.
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
        throw ConfigError(fmt::format("{}: invalid key path '{}'; write key.path=value",
                                      override.origin, override.path));
    }
    return parts;
}

/// Refuses to extend another file by an option: files are merged before options change values.
void refuse_extends(const Override& override, const std::string& first) {
    if (first == "extends") {
        throw ConfigError(fmt::format(
            "{}: extends is read before options change values; allowed: a key of the merged files. "
            "Write `extends: {}` in a file and name that file in place of this one",
            override.origin, override.value));
    }
}

/// Keys that state the kind of a map; `of` is the map's own key. A map of another kind replaces the
/// whole map, or only the keys of the old kind. Merging both would refuse `origin: {file: …}` over
/// `{random: …}` for its unknown key `random`.
struct KindRow {
    std::string_view of;
    std::vector<std::string_view> kinds;
    bool is_whole = true;
    std::vector<std::string_view> belongings = {};  ///< keys that are removed with the old kind
};

/// One table for `extends` and `--set`, so that both replace maps in the same way.
const std::vector<KindRow>& kind_rows() {
    static const std::vector<KindRow> kRows{
        {"origin", {"random", "constant", "join", "places", "index", "file", "checkpoint"}},
        {"groups.*", {"box", "across"}},
        {"steps.*", {"op", "program"}, false, {"set", "reference"}},
        {"tensors.*", {"distribution", "split"}, false},
    };
    return kRows;
}

const Entry* kind_of(const Node& map, const KindRow& row) {
    const auto found = std::ranges::find_if(map.entries, [&](const Entry& entry) {
        return std::ranges::find(row.kinds, entry.key) != row.kinds.end();
    });
    return found == map.entries.end() ? nullptr : &*found;
}

/// Returns whether both maps state their kind and the kinds differ: by key, or by the word of
/// `random` (`normal`, `routing`) if the kind is that of the whole map.
bool is_other_kind(const Entry* old, const Entry* added, const KindRow& row) {
    return old != nullptr && added != nullptr &&
           (old->key != added->key ||
            (row.is_whole && old->key == "random" && old->value.text != added->value.text));
}

/// Removes the keys in `base` that belong to another kind than `top`. In `repeat: {name: count}`
/// the name is free, so any other name is another kind.
void drop_other_kind(Node& base, const Node& top, std::string_view key) {
    if (base.kind != NodeKind::Map || top.kind != NodeKind::Map) {
        return;
    }
    if (key == "repeat" && !top.entries.empty() && base.find(top.entries.front().key) == nullptr) {
        base.entries.clear();
    }
    for (const KindRow& row : kind_rows()) {
        if (row.of != key || !is_other_kind(kind_of(base, row), kind_of(top, row), row)) {
            continue;
        }
        std::erase_if(base.entries, [&](const Entry& entry) {
            return row.is_whole || std::ranges::find(row.kinds, entry.key) != row.kinds.end() ||
                   std::ranges::find(row.belongings, entry.key) != row.belongings.end();
        });
    }
}

/// Returns the key of a map's row in kind_rows(). Children of these parents have free names.
std::string kind_key(std::string_view parent, std::string_view key) {
    const bool is_named = parent == "groups" || parent == "steps" || parent == "tensors";
    return is_named ? std::string(parent) + ".*" : std::string(key);
}

void overlay_at(Node& base, const Node& top, std::string_view key) {
    // A fact with its own source replaces the old one as a whole: the old range belongs to the old
    // value. Merged, it made the best point of a sweep fall outside of its own range.
    const bool is_fact =
        top.kind == NodeKind::Map && top.find("value") != nullptr && top.find("source") != nullptr;
    if (base.kind == NodeKind::Map && top.kind == NodeKind::Scalar &&
        base.find("value") != nullptr && base.find("source") == nullptr) {
        // A param with limits: the new value keeps them.
        *base.find("value") = top;
        return;
    }
    if (is_fact || base.kind != NodeKind::Map || top.kind != NodeKind::Map) {
        base = top;
        return;
    }
    drop_other_kind(base, top, key);
    for (const Entry& entry : top.entries) {
        if (Node* below = base.find(entry.key)) {
            overlay_at(*below, entry.value, kind_key(key, entry.key));
        } else {
            base.entries.push_back(entry);
        }
    }
}

/// Returns the value of a key below `map`; adds the key if it is missing.
Node& child(Node& map, const std::string& key, const Origin& origin) {
    if (Node* found = map.find(key)) {
        return *found;
    }
    map.entries.push_back({key, origin, {.kind = NodeKind::Null, .origin = origin}});
    return map.entries.back().value;
}

}  // namespace

Override parse_set(const std::string& text, std::string_view option) {
    const std::string origin = fmt::format("{} {}", option, text);
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
        throw ConfigError(origin + ": expected key.path=value");
    }
    return {text.substr(0, equals), text.substr(equals + 1), origin};
}

std::vector<Override> parse_sets(std::span<const std::string> texts, std::string_view option) {
    std::vector<Override> overrides;
    for (const std::string& text : texts) {
        overrides.push_back(parse_set(text, option));
    }
    return overrides;
}

void apply(const Override& override, Node& root) {
    const Origin origin{OriginKind::Override, override.origin, 0, 0};
    Node* node = &root;
    std::string walked;
    std::string key;
    // Read as YAML, so that lists and maps can be given; positions in it are those of the override.
    const Node value = read_text_at(override.value, origin);
    const std::vector<std::string> parts = split_path(override);
    refuse_extends(override, parts.front());
    for (const std::string& part : parts) {
        if (node->kind == NodeKind::Null) {
            *node = {.kind = NodeKind::Map, .origin = origin};
        }
        if (node->kind != NodeKind::Map) {
            throw ConfigError(fmt::format("{}: {} is {} and has no keys below it", override.origin,
                                          walked, describe(*node)));
        }
        walked += (walked.empty() ? "" : ".") + part;
        // A path states a kind too: `--set tensors.x.origin.file=…` over `{random: normal}`.
        drop_other_kind(*node, {.kind = NodeKind::Map, .entries = {{part, origin, value}}}, key);
        key = kind_key(key, part);
        node = &child(*node, part, origin);
    }
    // `--set params.tokens=64` over {value: 128, range: …} keeps the limits. A fact of a device
    // file has a source and is replaced as a whole, since that source is the old value's.
    Node* old = node->kind == NodeKind::Map && node->find("source") == nullptr ? node->find("value")
                                                                               : nullptr;
    *(old != nullptr && value.kind == NodeKind::Scalar ? old : node) = value;
    log::debug(log::Area::Config, "{} = {}, set by {}", override.path, override.value,
               override.origin);
}

void overlay(Node& base, const Node& top) {
    overlay_at(base, top, "");
}

// A block that is bound elsewhere must not stay as an unknown key.
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
