// SPDX-License-Identifier: Apache-2.0
// Overrides: values that replace those of a file, from `--set key.path=value` or an input file.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emu/base/fields/node.hpp"

namespace tessera::config {

/// One value from outside the file.
struct Override {
    std::string path;    ///< "mesh.shape"
    std::string value;   ///< YAML: "[1,4]"
    std::string origin;  ///< name in messages and in the resolved tree: "--set mesh.shape=[1,4]"
    friend bool operator==(const Override&, const Override&) = default;
};

/// Splits `key.path=value` at its first '='.
/// `option` is its name in messages.
/// Errors   ConfigError naming `--set TEXT` if there is no key or no '='.
[[nodiscard]] Override parse_set(const std::string& text, std::string_view option = "--set");
[[nodiscard]] std::vector<Override> parse_sets(std::span<const std::string> texts,
                                               std::string_view option = "--set");

/// Sets the value at its path below `root` and adds missing maps on the path. A map as value
/// replaces the old value.
/// Errors   ConfigError beginning with the override's origin: YAML syntax, an empty part of the
///          path, or a path that leads through a value.
void apply(const Override& override, Node& root);

/// Applies the overrides of a run file. One of `mesh.shape` also sets the params that the file's
/// shape names: `[4, 8]` over `[dp, tp]` sets dp and tp. Of a product, such as `pcp * dp`, it sets
/// the last param. Params with an override of their own keep it.
/// Errors   those of apply(); ConfigError if an extent is not a multiple of the other factors.
void apply_all(std::span<const Override> overrides, Node& root);

/// Merges one tree over another. Maps are merged key by key. These replace the old value:
///   - scalars and lists;
///   - a number of the architecture with its source;
///   - a map of another kind, whose kind is stated by another key: `origin: {file: …}` over
///     `{random: …}`, a step's `program` over `op`, a tensor's `split` over `distribution`.
void overlay(Node& base, const Node& top);

/// Removes the entry `key` from a map and returns its value; Null if there is none.
[[nodiscard]] Node take(Node& map, std::string_view key);

}  // namespace tessera::config
