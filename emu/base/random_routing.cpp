// SPDX-License-Identifier: Apache-2.0
#include "emu/base/random_routing.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "emu/base/bf16.hpp"
#include "emu/base/counted_random.hpp"
#include "emu/base/refusal.hpp"
#include "tessera/errors.hpp"

namespace tessera {
namespace {

constexpr double kSigmoidScale = 2.5;                   // routed_scaling_factor of DeepSeek-V3
constexpr std::uint64_t kOne = std::uint64_t{1} << 32;  // weights are 32.32 fixed point

/// Selection of one token: fixed experts first, the rest drawn by weight (0: never).
struct Selection {
    std::vector<std::uint32_t> always;
    std::vector<std::uint64_t> weights;
};

Selection zipf_selection(const RoutingDraw& draw) {
    const double exponent = draw.zipf_exponent;
    require_allowed(std::isfinite(exponent) && exponent >= 0, "make_selected_experts",
                    "zipf_exponent", exponent, "finite, 0 or more");
    Selection selection{{}, std::vector<std::uint64_t>(draw.experts)};
    const auto expert_of_rank = random_permutation(seed_for(draw.seed, "zipf ranks"), draw.experts);
    for (std::uint32_t rank = 0; rank < draw.experts; ++rank) {
        const double weight = std::pow(rank + 1.0, -exponent) * static_cast<double>(kOne);
        // At least 1, so that K experts can be drawn for any exponent.
        selection.weights[expert_of_rank[rank]] =
            std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(weight)));
    }
    return selection;
}

Selection one_expert_selection(const RoutingDraw& draw) {
    Selection selection{{0}, std::vector<std::uint64_t>(draw.experts, kOne)};
    selection.weights[0] = 0;
    return selection;
}

Selection hot_and_empty_selection(const RoutingDraw& draw) {
    const std::uint32_t num_hot = std::max(1U, std::min(draw.top_k / 2, draw.experts / 16));
    const std::uint32_t num_empty = std::min(draw.experts / 4, draw.experts - draw.top_k);
    const auto order = random_permutation(seed_for(draw.seed, "hot and empty"), draw.experts);
    Selection selection{{order.begin(), order.begin() + num_hot},
                        std::vector<std::uint64_t>(draw.experts, kOne)};
    for (const std::uint32_t expert : selection.always) {
        selection.weights[expert] = 0;
    }
    for (std::uint32_t i = 0; i < num_empty; ++i) {
        selection.weights[order[draw.experts - 1 - i]] = 0;
    }
    return selection;
}

Selection selection_of(const RoutingDraw& draw) {
    switch (draw.kind) {
        case RoutingKind::Uniform:
            return {{}, std::vector<std::uint64_t>(draw.experts, kOne)};
        case RoutingKind::Zipf:
            return zipf_selection(draw);
        case RoutingKind::OneExpert:
            return one_expert_selection(draw);
        case RoutingKind::HotAndEmpty:
            return hot_and_empty_selection(draw);
    }
    throw InternalError("make_selected_experts: unknown routing kind");
}

/// Returns the expert whose share of the summed weights contains `ticket`.
std::uint32_t expert_at(const std::vector<std::uint64_t>& weights, std::uint64_t ticket) {
    std::uint32_t expert = 0;
    while (ticket >= weights[expert]) {
        ticket -= weights[expert];
        ++expert;
    }
    return expert;
}

void select(std::span<std::uint32_t> row, const Selection& selection, std::uint64_t seed) {
    const std::size_t num_fixed = std::min(row.size(), selection.always.size());
    std::copy_n(selection.always.begin(), num_fixed, row.begin());
    std::vector<std::uint64_t> weights = selection.weights;
    std::uint64_t total = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
    for (std::size_t k = num_fixed; k < row.size(); ++k) {
        row[k] = expert_at(weights, below(random_word(seed, k), total));
        total -= weights[row[k]];
        weights[row[k]] = 0;
    }
}

/// Returns a normal score: Irwin–Hall of order 4 from the four 16-bit parts of a word, with mean 0
/// and standard deviation 1.
double normal_score(std::uint64_t word) {
    const double sum = static_cast<double>((word & 0xFFFF) + (word >> 16 & 0xFFFF) +
                                           (word >> 32 & 0xFFFF) + (word >> 48));
    return (sum - 131070) / std::sqrt(4294967295.0 / 3);
}

void write_weights(std::span<std::uint16_t> row, RoutingWeights kind, std::uint64_t seed) {
    std::vector<double> shares(row.size());
    for (std::size_t k = 0; k < row.size(); ++k) {
        const double score = normal_score(random_word(seed, k));
        shares[k] = kind == RoutingWeights::Softmax ? std::exp(score) : 1 / (1 + std::exp(-score));
    }
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    const double scale = kind == RoutingWeights::Softmax ? 1 : kSigmoidScale;
    std::ranges::transform(shares, row.begin(), [&](double share) {
        return float_to_bf16(static_cast<float>(scale * share / sum));
    });
}

/// Returns the expert in slot `index` of a device, before a permutation.
std::uint32_t expert_of_slot(ExpertMapping mapping, const ExpertShares& shares,
                             std::uint32_t device, std::uint32_t index) {
    return mapping == ExpertMapping::RoundRobin ? index * shares.devices + device
                                                : shares.first(device) + index;
}

}  // namespace

HostTensor make_selected_experts(const RoutingDraw& draw) {
    require_allowed(draw.top_k >= 1 && draw.top_k <= draw.experts, "make_selected_experts", "top_k",
                    draw.top_k, fmt::format("1 to {} experts", draw.experts));
    const Selection selection = selection_of(draw);
    const std::uint64_t seed = seed_for(draw.seed, "selected_experts");
    HostTensor table = make_host_tensor({draw.tokens, draw.top_k}, DataFormat::UInt32);
    const auto experts = table.as<std::uint32_t>();
    for (std::size_t token = 0; token < draw.tokens; ++token) {
        select(experts.subspan(token * draw.top_k, draw.top_k), selection,
               random_word(seed, token));
    }
    return table;
}

HostTensor make_routing_weights(const RoutingDraw& draw) {
    require_allowed(draw.top_k >= 1, "make_routing_weights", "top_k", draw.top_k, "1 or more");
    const std::uint64_t seed = seed_for(draw.seed, "routing_weights");
    HostTensor table = make_host_tensor({draw.tokens, draw.top_k}, DataFormat::Float16_b);
    const auto weights = table.as<std::uint16_t>();
    for (std::size_t token = 0; token < draw.tokens; ++token) {
        write_weights(weights.subspan(token * draw.top_k, draw.top_k), draw.weights,
                      random_word(seed, token));
    }
    return table;
}

HostTensor make_device_expert_mapping(const RoutingDraw& draw, std::uint32_t num_devices) {
    require_allowed(num_devices > 0, "make_device_expert_mapping", "num_devices", num_devices,
                    "1 or more");
    const ExpertShares shares{draw.experts, num_devices};
    const auto permuted =
        random_permutation(seed_for(draw.seed, "device_expert_mapping"), draw.experts);
    HostTensor table = make_host_tensor({num_devices, shares.slots()}, DataFormat::Int32);
    const auto ids = table.as<std::int32_t>();
    std::ranges::fill(ids, kNoExpert);
    for (std::uint32_t device = 0; device < num_devices; ++device) {
        for (std::uint32_t index = 0; index < shares.count(device); ++index) {
            const std::uint32_t expert = expert_of_slot(draw.mapping, shares, device, index);
            ids[std::size_t{device} * shares.slots() + index] = static_cast<std::int32_t>(
                draw.mapping == ExpertMapping::Permuted ? permuted[expert] : expert);
        }
    }
    return table;
}

}  // namespace tessera
