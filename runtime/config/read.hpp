// SPDX-License-Identifier: Apache-2.0
// First stage of configuration: reads YAML text to nodes. Nothing else uses yaml-cpp.
#pragma once

#include <filesystem>
#include <string>

#include "emu/base/fields/node.hpp"

namespace tessera::config {

/// Reads the only document of a file.
/// Errors   ConfigError at file:line:column for a syntax error, a duplicate key in a map, a key
///          that is not plain text, an anchor, alias or tag, or a second document; UsageError if
///          the file cannot be read.
[[nodiscard]] Node read_file(const std::filesystem::path& path);

/// Reads YAML text; messages use `name` as its file name.
[[nodiscard]] Node read_text(const std::string& text, const std::string& name);

/// Reads YAML text whose nodes all get the same origin (an override or a default).
/// Errors   ConfigError beginning with the origin's text.
[[nodiscard]] Node read_text_at(const std::string& text, const Origin& origin);

}  // namespace tessera::config
