// SPDX-License-Identifier: Apache-2.0
// Origin of a configuration value.
#pragma once

#include <cstdint>
#include <string>

namespace tessera::config {

enum class OriginKind : std::uint8_t { Default, File, Override };

/// A location in a file, the text of an override ("--set mesh.shape=[1,4]"), or the field's
/// default.
struct Origin {
    OriginKind kind = OriginKind::Default;
    std::string text;          ///< file path, or the override as the user wrote it
    std::uint32_t line = 0;    ///< from 1; 0 outside files
    std::uint32_t column = 0;  ///< from 1; 0 outside files
    friend bool operator==(const Origin&, const Origin&) = default;
};

/// Returns "default", "file:line:column" or the override's text.
[[nodiscard]] std::string to_string(const Origin& origin);

}  // namespace tessera::config
