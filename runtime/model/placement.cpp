// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/placement.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "tessera/errors.hpp"

namespace tessera::model {
namespace {

/// An exchange of two weights, and the larger of the two loads that it leaves.
struct Exchange {
    std::size_t a = 0;
    std::size_t b = 0;
    double load = 0;
};

/// Returns the exchange of a weight on `full`, the fullest device, that leaves the smallest load on
/// both devices; nothing if no exchange reduces its load.
std::optional<Exchange> best_exchange(std::span<const double> weights, const Placement& placement,
                                      const std::vector<double>& loads, std::uint32_t full) {
    std::optional<Exchange> best;
    for (std::size_t a = 0; a < weights.size(); ++a) {
        for (std::size_t b = 0; placement[a] == full && b < weights.size(); ++b) {
            const double moved = weights[a] - weights[b];
            if (placement[b] == full || moved <= 0) {
                continue;
            }
            const double load = std::max(loads[full] - moved, loads[placement[b]] + moved);
            if (load < loads[full] && (!best || load < best->load)) {
                best = Exchange{a, b, load};
            }
        }
    }
    return best;
}

}  // namespace

Placement greedy_placement(std::span<const double> weights, std::span<const std::uint32_t> room) {
    require(std::accumulate(room.begin(), room.end(), std::size_t{0}) >= weights.size(),
            "{} devices have no room for {} experts", room.size(), weights.size());
    std::vector<std::size_t> order(weights.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order,
                             [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
    Placement placement(weights.size(), 0);
    std::vector<double> loads(room.size(), 0);
    std::vector<std::uint32_t> used(room.size(), 0);
    for (const std::size_t index : order) {
        std::optional<std::uint32_t> device;
        for (std::uint32_t d = 0; d < room.size(); ++d) {
            if (used[d] < room[d] && (!device || loads[d] < loads[*device])) {
                device = d;
            }
        }
        placement[index] = *device;
        loads[*device] += weights[index];
        ++used[*device];
    }
    return placement;
}

std::vector<double> loads_of(std::span<const double> weights, const Placement& placement,
                             std::size_t devices) {
    std::vector<double> loads(devices, 0);
    for (std::size_t i = 0; i < weights.size(); ++i) {
        loads[placement[i]] += weights[i];
    }
    return loads;
}

Placement balanced_placement(std::span<const double> weights, std::span<const std::uint32_t> room) {
    Placement placement = greedy_placement(weights, room);
    std::vector<double> loads = loads_of(weights, placement, room.size());
    // Each exchange lowers the fullest device, so the loop ends; the bound guards against rounding.
    for (std::size_t round = 0; round < weights.size() * weights.size(); ++round) {
        const auto full =
            static_cast<std::uint32_t>(std::ranges::max_element(loads) - loads.begin());
        const auto best = best_exchange(weights, placement, loads, full);
        if (!best) {
            break;
        }
        std::swap(placement[best->a], placement[best->b]);
        loads = loads_of(weights, placement, room.size());
    }
    return placement;
}

Replicas replicate(std::span<const double> loads, std::uint32_t redundant) {
    Replicas replicas{.expert = std::vector<std::uint32_t>(loads.size()),
                      .copies = std::vector<std::uint32_t>(loads.size(), 1)};
    std::iota(replicas.expert.begin(), replicas.expert.end(), 0U);
    for (std::uint32_t copy = 0; copy < redundant; ++copy) {
        std::size_t most = 0;
        for (std::size_t expert = 1; expert < loads.size(); ++expert) {
            if (loads[expert] / replicas.copies[expert] > loads[most] / replicas.copies[most]) {
                most = expert;
            }
        }
        replicas.expert.push_back(static_cast<std::uint32_t>(most));
        ++replicas.copies[most];
    }
    return replicas;
}

std::vector<double> slot_loads(std::span<const double> loads, const Replicas& replicas) {
    std::vector<double> slots;
    for (const std::uint32_t expert : replicas.expert) {
        slots.push_back(loads[expert] / replicas.copies[expert]);
    }
    return slots;
}

}  // namespace tessera::model
