// SPDX-License-Identifier: Apache-2.0
// Timing constants at both ends of their ranges.
#pragma once

#include <string>

#include "runtime/config/bind.hpp"
#include "tessera/timing_spec.hpp"

namespace tessera::config {

/// Binds the section `timing` of an arch file, noting its values as they are stated below
/// `prefix` + "timing."; `low` takes each range's end that makes runs short: the least of a time
/// or of bytes sent beside the payload, the most of a rate or of a number of things in flight.
/// `parent` is where the section would stand.
/// Errors   noted, as bind_fields; a section that is missing.
[[nodiscard]] TimingBounds bind_timing(const Node& timing, const Origin& parent,
                                       const std::string& prefix, Hertz clock, Binding& binding);

}  // namespace tessera::config
