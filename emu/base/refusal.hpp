// SPDX-License-Identifier: Apache-2.0
// The one form of a refusal: where it was found, what it is about, what was found, what is allowed.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "tessera/errors.hpp"

namespace tessera {

/// Words what was found against what is allowed: "64 is out of range, allowed: 0 to 63".
[[nodiscard]] inline std::string refusal(std::string_view found, std::string_view allowed) {
    return fmt::format("{}, allowed: {}", found, allowed);
}

/// Throws UsageError "{where}: {what}: {found}, allowed: {allowed}" unless `holds`. `where` is a
/// file, an option or a function; without a `what`, it goes with its colon.
template <class Found>
void require_allowed(bool holds, std::string_view where, std::string_view what, const Found& found,
                     std::string_view allowed) {
    if (!holds) {
        throw UsageError(fmt::format("{}: {}{}{}", where, what, what.empty() ? "" : ": ",
                                     refusal(fmt::format("{}", found), allowed)));
    }
}

}  // namespace tessera
