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

struct RegimeResidue {
    std::string arch;
    timing::Regime regime{};
    std::size_t count = 0;
    double bias = 0;         ///< mean relative error
    double nine_of_ten = 0;  ///< factor less 1 that nine of ten rows are off by at most, either way
};

/// By architecture and regime, those without rows left out. Circular groups are left out too: what
/// constants were read from says nothing of the model.
[[nodiscard]] std::vector<RegimeResidue> residues_of(std::span<const Row> rows,
                                                     std::span<const RowScore> scores);

}  // namespace tessera::score
