// SPDX-License-Identifier: Apache-2.0
// The form of all refusals: location, subject, value found, values allowed.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "tessera/errors.hpp"

namespace tessera {

/// Returns the value found and the values allowed: "64 is out of range, allowed: 0 to 63".
[[nodiscard]] inline std::string refusal(std::string_view found, std::string_view allowed) {
    return fmt::format("{}, allowed: {}", found, allowed);
}

/// Throws UsageError "{where}: {what}: {found}, allowed: {allowed}" unless `holds`. `where` is a
/// file, an option or a function. An empty `what` is left out together with its colon.
template <class Found>
void require_allowed(bool holds, std::string_view where, std::string_view what, const Found& found,
                     std::string_view allowed) {
    if (!holds) {
        throw UsageError(fmt::format("{}: {}{}{}", where, what, what.empty() ? "" : ": ",
                                     refusal(fmt::format("{}", found), allowed)));
    }
}

}  // namespace tessera
