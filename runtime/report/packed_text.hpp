// SPDX-License-Identifier: Apache-2.0
// Text small enough to be kept inside of a page.
#pragma once

#include <string>
#include <string_view>

namespace tessera::report {

/// Returns `text` as gzip (RFC 1952), as base64 (RFC 4648): letters that are safe in HTML. The same
/// bytes for the same text.
[[nodiscard]] std::string packed_text(std::string_view text);

}  // namespace tessera::report
