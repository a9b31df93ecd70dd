// SPDX-License-Identifier: Apache-2.0
// Values that replace those of a file: `--set key.path=value`, or shapes of an input file.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "emu/base/fields/node.hpp"

namespace tessera::config {

/// One value from outside the file.
struct Override {
    std::string path;    ///< "mesh.shape"
    std::string value;   ///< YAML: "[1,4]"
    std::string origin;  ///< what messages and the resolved tree name: "--set mesh.shape=[1,4]"
    friend bool operator==(const Override&, const Override&) = default;
};

/// Splits `key.path=value` at its first '='.
/// Errors   ConfigError naming `--set TEXT` if there is no key or no '='.
[[nodiscard]] Override parse_set(const std::string& text);
[[nodiscard]] std::vector<Override> parse_sets(std::span<const std::string> texts);

/// Puts the value at its path below `root`, adding maps on the way; a map given as value replaces
/// what is there.
/// Errors   ConfigError beginning with the override's origin: YAML syntax, an empty part of the
///          path, or a path that leads through a value.
void apply(const Override& override, Node& root);

/// Lays one tree over another: maps key by key; anything else, a number of the architecture with
/// its source, and a map of another kind replaces. A map is of another kind if another key says
/// what it is: `origin: {file: …}` over `{random: …}`, a step's `program` over `op`, a tensor's
/// `split` over `distribution`.
void overlay(Node& base, const Node& top);

/// Takes the entry `key` out of a map; Null if there is none.
[[nodiscard]] Node take(Node& map, std::string_view key);

}  // namespace tessera::config
