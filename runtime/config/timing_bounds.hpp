// SPDX-License-Identifier: Apache-2.0
// Binds timing constants with both ends of their ranges.
#pragma once

#include <string>

#include "runtime/config/bind.hpp"
#include "tessera/timing_spec.hpp"

namespace tessera::config {

/// Binds the section `timing` of an arch file and records its stated values below `prefix` +
/// "timing.". `low` gets the end of each range that makes runs short: the smallest time or number
/// of extra bytes, the largest rate or number of transfers in flight. `parent` is the position for
/// a missing section.
/// Errors   recorded, as bind_fields; a missing section.
[[nodiscard]] TimingBounds bind_timing(const Node& timing, const Origin& parent,
                                       const std::string& prefix, Hertz clock, Binding& binding);

}  // namespace tessera::config
