// SPDX-License-Identifier: Apache-2.0
// A chip of a Galaxy, on which ops of models were measured.
#pragma once

#include "bench/accuracy/model.hpp"
#include "bench/accuracy/parameters.hpp"

namespace tessera::score {

/// What of its cores a program leaves to dispatch.
enum class DispatchTakes : std::uint8_t { Row, Column };

/// The model with the cores and the clock that a chip of the row's `machine` has ("Galaxy", "Galaxy
/// 4U", "Galaxy 6U"; none stated: a Galaxy); as it is for any other machine.
[[nodiscard]] Model on_galaxy_chip(Model model, const Parameters& parameters,
                                   DispatchTakes takes = DispatchTakes::Column);

}  // namespace tessera::score
