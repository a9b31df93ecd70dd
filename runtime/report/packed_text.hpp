// SPDX-License-Identifier: Apache-2.0
// Compresses text for use inside an HTML page.
#pragma once

#include <string>
#include <string_view>

namespace tessera::report {

/// Returns `text` compressed by gzip (RFC 1952) and encoded in base64 (RFC 4648), whose letters are
/// safe in HTML. Equal texts give equal results.
[[nodiscard]] std::string packed_text(std::string_view text);

}  // namespace tessera::report
