// SPDX-License-Identifier: Apache-2.0
// Places experts that tokens choose together on one device, so that fewer rows travel.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/model/routing_trace.hpp"

namespace tessera::model {

/// Exchanges two experts on different devices while this reduces the number of devices that the
/// tokens of a layer reach, and leaves no device with a load above `most`. `loads` has the load of
/// each expert.
[[nodiscard]] Placement linked_placement(const RoutingTrace& trace, std::uint32_t layer,
                                         Placement placement, std::span<const double> loads,
                                         double most);

}  // namespace tessera::model
