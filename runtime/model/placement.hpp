// SPDX-License-Identifier: Apache-2.0
// Places experts on devices so that their loads are equal.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/model/routing_trace.hpp"

namespace tessera::model {

/// Returns the devices of weights by falling weight, each on the least loaded device that has room;
/// the lower number wins among equals. Then two weights on different devices are exchanged while
/// the largest load falls. `room` is the number of weights that each device takes.
[[nodiscard]] Placement balanced_placement(std::span<const double> weights,
                                           std::span<const std::uint32_t> room);
/// Returns the result of balanced_placement()'s first step.
[[nodiscard]] Placement greedy_placement(std::span<const double> weights,
                                         std::span<const std::uint32_t> room);

/// Returns the sum of the weights on each device.
[[nodiscard]] std::vector<double> loads_of(std::span<const double> weights,
                                           const Placement& placement, std::size_t devices);

/// Copies of experts in physical slots.
struct Replicas {
    std::vector<std::uint32_t> expert;  ///< expert of each slot: all experts, then further copies
    std::vector<std::uint32_t> copies;  ///< copies of each expert
};

/// Gives each of `redundant` further copies to the expert with the largest load over copies; the
/// lower number wins among equals.
/// Source   EPLB, replicate_experts.
[[nodiscard]] Replicas replicate(std::span<const double> loads, std::uint32_t redundant);

/// Returns the load of each slot, if the copies of an expert share its load equally.
[[nodiscard]] std::vector<double> slot_loads(std::span<const double> loads,
                                             const Replicas& replicas);

}  // namespace tessera::model
