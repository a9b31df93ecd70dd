// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/ensemble.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "emu/base/counted_random.hpp"
#include "tessera/timing_spec.hpp"

namespace tessera::report {
namespace {

using timing::kNumRegimes;
using timing::Regime;

/// Half-width of a normal distribution's 90 % interval, in standard deviations.
constexpr double kNineOfTen = 1.6448536269514722;
constexpr std::uint64_t kSeed = 10;

/// Returns the quantile of the standard normal distribution for probability `share`.
double normal_quantile(double share) {
    constexpr double kFar = 10;
    constexpr int kHalvings = 60;
    double low = -kFar;
    double high = kFar;
    for (int i = 0; i < kHalvings; ++i) {
        const double middle = (low + high) / 2;
        (std::erfc(-middle / std::sqrt(2.0)) / 2 < share ? low : high) = middle;
    }
    return (low + high) / 2;
}

/// Returns the medians of `count` equally probable parts of a normal distribution.
std::vector<double> normal_middles(std::size_t count) {
    std::vector<double> middles;
    for (std::size_t i = 0; i < count; ++i) {
        const double place = static_cast<double>(i) + 0.5;
        middles.push_back(normal_quantile(place / static_cast<double>(count)));
    }
    return middles;
}

/// Returns these values in an order that depends on the name. Even few samples then have the
/// distribution's percentiles.
std::vector<double> shuffled(const std::vector<double>& values, const std::string& name) {
    const auto order =
        random_permutation(seed_for(kSeed, name), static_cast<std::uint32_t>(values.size()));
    std::vector<double> samples;
    samples.reserve(order.size());
    for (const std::uint32_t place : order) {
        samples.push_back(values[place]);
    }
    return samples;
}

/// Returns the deviations of one regime by sample: the sum of a part that both sides share and of
/// the side's own part.
std::vector<double> deviations(const std::vector<double>& middles, Regime regime, double shared,
                               Side side) {
    const std::string name(name_of(regime));
    const auto common = shuffled(middles, name);
    const auto own = shuffled(middles, name + (side == Side::A ? " of A" : " of B"));
    std::vector<double> sum(middles.size());
    for (std::size_t i = 0; i < sum.size(); ++i) {
        sum[i] = std::sqrt(shared) * common[i] + std::sqrt(1 - shared) * own[i];
    }
    return sum;
}

bool can_be_off(const RegimeError& regime) {
    return regime.share > 0 && regime.error > 0;
}

/// Returns, by sample, the time divided by that of a model without error.
std::vector<double> factors_of(const Ensemble& ensemble, std::size_t count, Side side) {
    std::vector<double> factors(count, 1.0);
    const std::vector<double> middles = normal_middles(count);
    for (std::size_t r = 0; r < kNumRegimes; ++r) {
        const RegimeError& regime = ensemble.regimes[r];
        if (!can_be_off(regime)) {
            continue;
        }
        // Errors are factors: a time that is predicted three times too short is as far off as one
        // that is predicted three times too long.
        const double sigma = std::log1p(regime.error) / kNineOfTen;
        const auto deviation = deviations(middles, static_cast<Regime>(r), ensemble.shared, side);
        for (std::size_t i = 0; i < count; ++i) {
            factors[i] += regime.share * (std::exp(sigma * deviation[i]) - 1);
        }
    }
    return factors;
}

}  // namespace

std::vector<double> samples_of(const Ensemble& ensemble, Side side) {
    const std::size_t num_draws = ensemble.draws.size();
    if (num_draws == 0) {
        return {};
    }
    const std::size_t each = std::max<std::size_t>(1, kNumSamples / num_draws);
    std::vector<double> samples = factors_of(ensemble, each * num_draws, side);
    for (std::size_t i = 0; i < samples.size(); ++i) {
        samples[i] *= static_cast<double>(ensemble.draws[i % num_draws]);
    }
    return samples;
}

double percentile(std::vector<double> values, double share) {
    const auto rank =
        static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size()) - 1e-9));
    const std::size_t index = std::clamp<std::size_t>(rank, 1, values.size()) - 1;
    std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(index));
    return values[index];
}

PredictedTime predicted(Millicycles expected, const Ensemble& ensemble) {
    const std::vector<double> samples = samples_of(ensemble, Side::A);
    if (samples.empty()) {
        return {expected, expected, expected};
    }
    return {std::min<Millicycles>(expected, std::llround(percentile(samples, kLowShare))), expected,
            std::max<Millicycles>(expected, std::llround(percentile(samples, kHighShare)))};
}

Ensemble make_ensemble(const timing::RegimeTimes& times, const ModelErrorSpec& spec) {
    Ensemble ensemble{.draws = {}, .shared = spec.shared};
    const auto total =
        static_cast<double>(std::accumulate(times.begin(), times.end(), Millicycles{0}));
    for (std::size_t r = 0; r < kNumRegimes; ++r) {
        const double share = total > 0 ? static_cast<double>(times[r]) / total : 0;
        ensemble.regimes[r] = {share, error_of(spec, static_cast<Regime>(r))};
    }
    return ensemble;
}

}  // namespace tessera::report
