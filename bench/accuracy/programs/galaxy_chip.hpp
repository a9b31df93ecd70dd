// SPDX-License-Identifier: Apache-2.0
// A chip of a Galaxy, where rows of ops of models were measured.
#pragma once

#include "bench/accuracy/model.hpp"
#include "bench/accuracy/parameters.hpp"

namespace tessera::score {

/// The model with the cores and the clock that a chip of the row's `machine` has ("Galaxy", "Galaxy
/// 4U", "Galaxy 6U"); as it is for any other machine than a Wormhole Galaxy.
[[nodiscard]] Model on_galaxy_chip(Model model, const Parameters& parameters);

}  // namespace tessera::score
