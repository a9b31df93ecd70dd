// SPDX-License-Identifier: Apache-2.0
// Finds the source line of machine code that a kernel's shared object holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tessera/call_site.hpp"

namespace tessera {

/// Returns the line of the instruction at `code`, from the line table (DWARF 4) of the shared
/// object that holds it. Code that was inlined from another file gets the nearest line of `kernel`
/// in front of it. Nothing if the object has no such table. The names live as long as the process.
[[nodiscard]] std::optional<CallSite> source_line_of(std::uint64_t code, const std::string& kernel);

}  // namespace tessera
