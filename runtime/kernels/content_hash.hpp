// SPDX-License-Identifier: Apache-2.0
// Names for contents.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tessera {

/// 128-bit hash of `content` as 32 hexadecimal digits. Not for secrets.
[[nodiscard]] std::string content_hash(std::string_view content);

/// The bytes of a regular file, or nothing if it cannot be read.
[[nodiscard]] std::optional<std::string> read_file(const std::filesystem::path& path);

/// Hash of a file's bytes, or nothing if it cannot be read.
[[nodiscard]] std::optional<std::string> file_hash(const std::filesystem::path& path);

}  // namespace tessera
