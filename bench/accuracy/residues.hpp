// SPDX-License-Identifier: Apache-2.0
// Prediction errors by the regime that bounds a row's time. The device models' `timing.model_error`
// is derived from them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "bench/accuracy/row.hpp"
#include "bench/accuracy/score_rows.hpp"
#include "emu/timing/regime.hpp"

namespace tessera::score {

/// Distribution of the predicted-to-measured ratios around 1.
struct Spread {
    double bias = 0;         ///< mean of the ratios, minus 1
    double nine_of_ten = 0;  ///< 90th percentile of the error factor, minus 1, in either direction
};
/// Preconditions  `ratios` is not empty.
[[nodiscard]] Spread spread_of(std::span<const double> ratios);

struct RegimeResidue {
    std::string arch;
    timing::Regime regime{};
    std::size_t count = 0;
    double bias = 0;         ///< mean relative error
    double nine_of_ten = 0;  ///< 90th percentile of the error factor, minus 1, in either direction
    double stated = 0;       ///< same value as stated by the device model: timing.model_error
};

/// Returns whether a row tests the model: it has a prediction with a regime, and no constant was
/// taken from its group.
[[nodiscard]] bool has_residue(const Row& row, const RowScore& score);

/// Returns residues by architecture and regime over rows with has_residue(), without empty ones.
[[nodiscard]] std::vector<RegimeResidue> residues_of(std::span<const Row> rows,
                                                     std::span<const RowScore> scores);

}  // namespace tessera::score
