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
namespace {

struct Errors {
    std::vector<double> relative;
    std::vector<double> factors;  ///< from 1 on, whichever of the two figures is the larger
};

RegimeResidue residue_of(const std::string& arch, timing::Regime regime, const Errors& errors) {
    const auto count = static_cast<double>(errors.relative.size());
    constexpr double kNineOfTen = 0.9;
    return {arch, regime, errors.relative.size(),
            std::accumulate(errors.relative.begin(), errors.relative.end(), 0.0) / count,
            report::percentile(errors.factors, kNineOfTen) - 1};
}

}  // namespace

bool has_residue(const Row& row, const RowScore& score) {
    return score.prediction && score.prediction->regime &&
           basis_of(row.group).basis != Basis::Circular;
}

std::vector<RegimeResidue> residues_of(std::span<const Row> rows,
                                       std::span<const RowScore> scores) {
    std::map<std::pair<std::string, timing::Regime>, Errors> regimes;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto& prediction = scores[i].prediction;
        if (!has_residue(rows[i], scores[i])) {
            continue;
        }
        Errors& errors = regimes[{rows[i].arch, *prediction->regime}];
        const double ratio = prediction->expected / rows[i].value;
        errors.relative.push_back(ratio - 1);
        errors.factors.push_back(std::exp(std::abs(std::log(ratio))));
    }
    std::vector<RegimeResidue> residues;
    for (const auto& [key, errors] : regimes) {
        residues.push_back(residue_of(key.first, key.second, errors));
    }
    return residues;
}

}  // namespace tessera::score
