// SPDX-License-Identifier: Apache-2.0
// Conversion from cycles of the device clock to the unit of a row.
#pragma once

#include "bench/accuracy/model.hpp"
#include "bench/accuracy/prediction.hpp"
#include "bench/accuracy/row.hpp"

namespace tessera::score {

/// Returns cycles in the row's unit: cycles, ns or us.
/// Errors   NotExpressible for another unit.
[[nodiscard]] Prediction as_time(const Row& row, Prediction cycles, const Model& model);

/// Returns the rate of `bytes` per `cycles` in the row's unit: B/cycle or GB/s (10^9 bytes).
/// Errors   NotExpressible for another unit.
[[nodiscard]] Prediction as_bandwidth(const Row& row, double bytes, Prediction cycles,
                                      const Model& model);

}  // namespace tessera::score
