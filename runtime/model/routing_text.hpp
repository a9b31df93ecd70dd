// SPDX-License-Identifier: Apache-2.0
// Loads of experts and devices as text.
#pragma once

#include <string>

#include "runtime/model/routing_trace.hpp"
#include "runtime/report/text_style.hpp"

namespace tessera::model {

/// Returns one row per device with its load, and lines with the ratios of the largest to the mean
/// loads and the number of devices that a token reaches.
[[nodiscard]] std::string routing_text(const RoutingLoad& load, const Placement& placement,
                                       const report::TextStyle& style);

}  // namespace tessera::model
