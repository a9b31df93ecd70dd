// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/residues.hpp"

#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "bench/accuracy/group_basis.hpp"
#include "bench/accuracy/statistics.hpp"
#include "runtime/report/timing/ensemble.hpp"

namespace tessera::score {
Spread spread_of(std::span<const double> ratios) {
    constexpr double kNineOfTen = 0.9;
    const double sum = std::accumulate(ratios.begin(), ratios.end(), 0.0);
    std::vector<double> factors;  // at least 1: the larger of the two figures over the smaller
    for (const double ratio : ratios) {
        factors.push_back(std::exp(std::abs(std::log(ratio))));
    }
    return {sum / static_cast<double>(ratios.size()) - 1,
            report::percentile(factors, kNineOfTen) - 1};
}

bool has_residue(const Row& row, const RowScore& score) {
    return score.prediction && score.prediction->regime &&
           basis_of(row.group).basis != Basis::Circular;
}

std::vector<RegimeResidue> residues_of(std::span<const Row> rows,
                                       std::span<const RowScore> scores) {
    struct Rows {
        std::vector<double> ratios;
        double stated = 0;
    };
    std::map<std::pair<std::string, timing::Regime>, Rows> regimes;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (has_residue(rows[i], scores[i])) {
            const Prediction& prediction = *scores[i].prediction;
            Rows& of_regime = regimes[{rows[i].arch, *prediction.regime}];
            of_regime.ratios.push_back(prediction.expected / rows[i].value);
            of_regime.stated = prediction.model_error;
        }
    }
    std::vector<RegimeResidue> residues;
    for (const auto& [key, of_regime] : regimes) {
        const Spread spread = spread_of(of_regime.ratios);
        residues.push_back({key.first, key.second, of_regime.ratios.size(), spread.bias,
                            spread.nine_of_ten, of_regime.stated});
    }
    return residues;
}

}  // namespace tessera::score
