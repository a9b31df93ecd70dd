// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace tessera::score {
namespace {

/// Returns ranks from 1; equal values share the mean of their ranks.
std::vector<double> ranks_of(const std::vector<double>& values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
    std::vector<double> ranks(values.size());
    for (std::size_t begin = 0; begin < order.size();) {
        std::size_t end = begin;
        while (end < order.size() && values[order[end]] == values[order[begin]]) {
            ++end;
        }
        const double mean = static_cast<double>(begin + 1 + end) / 2;
        for (std::size_t i = begin; i < end; ++i) {
            ranks[order[i]] = mean;
        }
        begin = end;
    }
    return ranks;
}

double mean_of(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::optional<double> correlation(const std::vector<double>& x, const std::vector<double>& y) {
    const double mean_x = mean_of(x);
    const double mean_y = mean_of(y);
    double xy = 0;
    double xx = 0;
    double yy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        xy += (x[i] - mean_x) * (y[i] - mean_y);
        xx += (x[i] - mean_x) * (x[i] - mean_x);
        yy += (y[i] - mean_y) * (y[i] - mean_y);
    }
    return xx > 0 && yy > 0 ? std::optional(xy / std::sqrt(xx * yy)) : std::nullopt;
}

std::optional<double> rank_correlation(std::span<const Pair> pairs) {
    std::vector<double> predicted;
    std::vector<double> measured;
    for (const Pair& pair : pairs) {
        predicted.push_back(pair.predicted);
        measured.push_back(pair.measured);
    }
    return correlation(ranks_of(predicted), ranks_of(measured));
}

}  // namespace

double relative_error(Pair pair) noexcept {
    return (pair.predicted - pair.measured) / pair.measured;
}

Statistics statistics_of(std::span<const Pair> pairs) {
    Statistics statistics{.count = pairs.size()};
    if (pairs.empty()) {
        return statistics;
    }
    for (const Pair& pair : pairs) {
        const double error = std::abs(relative_error(pair));
        const bool is_covered = pair.low <= pair.measured && pair.measured <= pair.high;
        statistics.bias += relative_error(pair);
        statistics.share_covered += is_covered ? 1 : 0;
        statistics.mean_absolute_error += error;
        statistics.share_within_tenth += error <= kTenth ? 1 : 0;
    }
    const auto count = static_cast<double>(pairs.size());
    statistics.mean_absolute_error /= count;
    statistics.bias /= count;
    statistics.share_covered /= count;
    statistics.share_within_tenth /= count;
    statistics.rank_correlation = rank_correlation(pairs);
    return statistics;
}

}  // namespace tessera::score
