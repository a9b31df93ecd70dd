// SPDX-License-Identifier: Apache-2.0
// How far predictions are off by the regime that decides a row's time: what the device models'
// `timing.model_error` is taken from.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "bench/accuracy/row.hpp"
#include "bench/accuracy/score_rows.hpp"
#include "emu/timing/regime.hpp"

namespace tessera::score {

/// How ratios of predicted to measured lie around 1.
struct Spread {
    double bias = 0;         ///< mean of the ratios, less 1
    double nine_of_ten = 0;  ///< factor less 1 that nine of ten are off by at most, either way
};
/// Preconditions  There is a ratio.
[[nodiscard]] Spread spread_of(std::span<const double> ratios);

struct RegimeResidue {
    std::string arch;
    timing::Regime regime{};
    std::size_t count = 0;
    double bias = 0;         ///< mean relative error
    double nine_of_ten = 0;  ///< factor less 1 that nine of ten rows are off by at most, either way
    double stated = 0;       ///< the same as the device model has it: timing.model_error
};

/// Whether a row says something of the model: it is predicted, in a regime, and its group is not
/// one that constants were read from.
[[nodiscard]] bool has_residue(const Row& row, const RowScore& score);

/// By architecture and regime, those without rows left out. Of rows that has_residue() takes.
[[nodiscard]] std::vector<RegimeResidue> residues_of(std::span<const Row> rows,
                                                     std::span<const RowScore> scores);

}  // namespace tessera::score
