// SPDX-License-Identifier: Apache-2.0
// Finds the source line of machine code in a kernel's shared object.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tessera/call_site.hpp"

namespace tessera {

/// Returns the line of the instruction at `code`, from the line table (DWARF 4) of its shared
/// object. Code that was inlined from another file has the nearest preceding line of `kernel`.
/// Returns nothing if the object has no such table. The names are valid until the process ends.
[[nodiscard]] std::optional<CallSite> source_line_of(std::uint64_t code, const std::string& kernel);

}  // namespace tessera
