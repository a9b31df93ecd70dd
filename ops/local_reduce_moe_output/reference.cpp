// SPDX-License-Identifier: Apache-2.0
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "ops/local_reduce_moe_output/local_reduce_moe_output.hpp"
#include "ops/shared/host_floats.hpp"

namespace tessera::ops::local_reduce_moe_output {
namespace {

constexpr int kMantissaBits = 7;  // bits of bfloat16, after the leading one
constexpr int kSmallestExponent = -126;

struct Contribution {
    std::size_t expert;
    std::size_t row;  ///< row of the expert
    double weight;
};

/// Source of an expert's output rows.
using ReadRow = std::function<void(std::size_t expert, std::size_t row, std::span<float> values)>;

/// Returns the bfloat16 that a step leaves of a sum that was added in fp32.
double step(double sum, ReduceAccumulator accumulator) {
    if (accumulator == ReduceAccumulator::Fp32) {
        return sum;
    }
    // fp32 first and then the cut: the kernel rounds twice, and so does its reference.
    const double added = static_cast<float>(sum);
    if (added == 0 || !std::isfinite(added)) {
        return added;
    }
    // Below this exponent bfloat16 has denormals, whose spacing is constant.
    const int exponent = std::max(std::ilogb(added), kSmallestExponent);
    const double scaled = std::ldexp(added, kMantissaBits - exponent);
    const bool truncates = accumulator == ReduceAccumulator::Bf16Truncate;
    return std::ldexp(truncates ? std::trunc(scaled) : std::nearbyint(scaled),
                      exponent - kMantissaBits);
}

/// Returns the contributions of each token, local experts ascending.
std::vector<std::vector<Contribution>> contributions(const HostTensor& token_idx_map,
                                                     const HostTensor& weights,
                                                     const HostTensor& num_routed_tokens) {
    const std::size_t tokens = token_idx_map.shape[1];
    std::vector<std::vector<Contribution>> lists(tokens);
    const auto counts = num_routed_tokens.as<std::uint32_t>();
    for (std::size_t e = 0; e < counts.size(); ++e) {
        // Entries from the count on are stale and may look valid; the rows they name may hold NaN,
        // and 0 times NaN is NaN.
        for (std::size_t i = 0; i < counts[e]; ++i) {
            const std::size_t entry = e * tokens + i;
            auto& list = lists[token_idx_map.as<std::uint32_t>()[entry]];
            // An expert counts once per token, with its first entry, as in the kernel.
            if (list.empty() || list.back().expert != e) {
                list.push_back({e, i, bf16_to_float(weights.as<std::uint16_t>()[entry])});
            }
        }
    }
    return lists;
}

/// Returns the sums, (T, `hidden`).
HostTensor sum_up(const std::vector<std::vector<Contribution>>& lists, std::uint32_t hidden,
                  const ReadRow& read_row, ReduceAccumulator accumulator) {
    HostTensor local =
        make_host_tensor({static_cast<std::uint32_t>(lists.size()), hidden}, DataFormat::Float32);
    const auto out = local.as<float>();
    tbb::parallel_for(std::size_t{0}, lists.size(), [&](std::size_t t) {
        std::vector<float> row(hidden);
        std::vector<double> sums(hidden, 0.0);
        for (const Contribution& term : lists[t]) {
            read_row(term.expert, term.row, row);
            for (std::size_t h = 0; h < hidden; ++h) {
                // The order of experts is kept, since each step rounds.
                sums[h] = step(sums[h] + double{row[h]} * term.weight, accumulator);
            }
        }
        std::ranges::transform(sums, out.subspan(t * hidden, hidden).begin(),
                               [](double sum) { return static_cast<float>(sum); });
    });
    return local;
}

}  // namespace

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const std::vector<std::uint32_t> counts = context.counts("num_routed_tokens"_in);
    std::vector<HostTensor> rows(counts.size());
    tbb::parallel_for(std::size_t{0}, rows.size(), [&](std::size_t expert) {
        if (counts[expert] != 0) {
            rows[expert] = context.in("expert_outputs"_in)
                               .first_rows(static_cast<std::uint32_t>(expert), counts[expert]);
        }
    });
    const auto read_row = [&](std::size_t expert, std::size_t row, std::span<float> values) {
        read_floats(rows[expert], row * values.size(), values);
    };
    std::vector<HostTensor> outputs;
    outputs.push_back(sum_up(
        contributions(context.read("token_idx_map"_in), context.read("routed_token_weights"_in),
                      context.read("num_routed_tokens"_in)),
        context.in("expert_outputs"_in).shape()[2], read_row,
        context.params<LocalReduceSpec>().accumulator));
    return outputs;
}

}  // namespace tessera::ops::local_reduce_moe_output
