// SPDX-License-Identifier: Apache-2.0
// The page of runtime/report/html, embedded when Tessera is built.
#pragma once

#include <string_view>

namespace tessera::report {

/// With the places @TITLE@, @STYLE@, @DATA@ and @SCRIPT@.
extern const std::string_view kHtmlPage;
extern const std::string_view kHtmlStyles;
extern const std::string_view kHtmlScripts;

}  // namespace tessera::report
