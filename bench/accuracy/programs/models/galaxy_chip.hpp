// SPDX-License-Identifier: Apache-2.0
// The Galaxy chip on which ops of models were measured.
#pragma once

#include "bench/accuracy/model.hpp"
#include "bench/accuracy/parameters.hpp"

namespace tessera::score {

/// Cores that a program leaves to dispatch.
enum class DispatchTakes : std::uint8_t { Row, Column };

/// Returns the model with the cores and the clock of a chip of the row's `machine`: "Galaxy",
/// "Galaxy 4U", "Galaxy 6U"; a Galaxy if none is stated. Other machines leave the model unchanged.
[[nodiscard]] Model on_galaxy_chip(Model model, const Parameters& parameters,
                                   DispatchTakes takes = DispatchTakes::Column);

}  // namespace tessera::score
