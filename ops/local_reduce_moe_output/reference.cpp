// SPDX-License-Identifier: Apache-2.0
#include <tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ops/local_reduce_moe_output/local_reduce_moe_output.hpp"

namespace tessera::ops::local_reduce_moe_output {
namespace {

constexpr int kMantissaBits = 7;  // of bfloat16, behind the leading one
constexpr int kSmallestExponent = -126;

struct Contribution {
    std::size_t row;  ///< e·T + i
    double weight;
};

double widen(std::uint16_t bits) {
    return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

/// The bfloat16 that a step leaves of a sum that was added in fp32.
double step(double sum, ReduceAccumulator accumulator) {
    if (accumulator == ReduceAccumulator::Fp32) {
        return sum;
    }
    const double added = static_cast<float>(sum);
    if (added == 0 || !std::isfinite(added)) {
        return added;
    }
    const int exponent = std::max(std::ilogb(added), kSmallestExponent);
    const double scaled = std::ldexp(added, kMantissaBits - exponent);
    const bool truncates = accumulator == ReduceAccumulator::Bf16Truncate;
    return std::ldexp(truncates ? std::trunc(scaled) : std::nearbyint(scaled),
                      exponent - kMantissaBits);
}

/// For each token its contributions, local experts ascending.
std::vector<std::vector<Contribution>> contributions(const HostTensor& token_idx_map,
                                                     const HostTensor& weights,
                                                     const HostTensor& num_routed_tokens) {
    const std::size_t tokens = token_idx_map.shape[1];
    std::vector<std::vector<Contribution>> lists(tokens);
    const auto counts = num_routed_tokens.as<std::uint32_t>();
    for (std::size_t e = 0; e < counts.size(); ++e) {
        for (std::size_t row = e * tokens; row < e * tokens + counts[e]; ++row) {
            auto& list = lists[token_idx_map.as<std::uint32_t>()[row]];
            if (list.empty() || list.back().row / tokens != e) {
                list.push_back({row, widen(weights.as<std::uint16_t>()[row])});
            }
        }
    }
    return lists;
}

}  // namespace

HostTensor reference(const HostTensor& expert_outputs, const HostTensor& token_idx_map,
                     const HostTensor& routed_token_weights, const HostTensor& num_routed_tokens,
                     ReduceAccumulator accumulator) {
    const std::size_t hidden = expert_outputs.shape[2];
    HostTensor local =
        make_host_tensor({expert_outputs.shape[1], expert_outputs.shape[2]}, DataFormat::Float32);
    const auto lists = contributions(token_idx_map, routed_token_weights, num_routed_tokens);
    const auto rows = expert_outputs.as<std::uint16_t>();
    const auto out = local.as<float>();
    tbb::parallel_for(std::size_t{0}, lists.size(), [&](std::size_t t) {
        std::vector<double> sums(hidden, 0.0);
        for (const Contribution& term : lists[t]) {
            for (std::size_t h = 0; h < hidden; ++h) {
                const double product = widen(rows[term.row * hidden + h]) * term.weight;
                sums[h] = step(sums[h] + product, accumulator);
            }
        }
        std::ranges::transform(sums, out.subspan(t * hidden, hidden).begin(),
                               [](double sum) { return static_cast<float>(sum); });
    });
    return local;
}

}  // namespace tessera::ops::local_reduce_moe_output
