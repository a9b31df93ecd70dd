// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/link_placement.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "runtime/model/placement.hpp"

namespace tessera::model {
namespace {

/// How often tokens reach devices under a placement, which exchanges change.
class Reach {
public:
    Reach(const RoutingTrace& trace, std::uint32_t layer, Placement placement)
        : placement_(std::move(placement)),
          devices_(std::ranges::max(placement_) + 1),
          tokens_of_(placement_.size()),
          choices_(std::size_t{trace.tokens} * devices_) {
        for (std::uint32_t token = 0; token < trace.tokens; ++token) {
            for (std::uint32_t choice = 0; choice < trace.top_k; ++choice) {
                const std::int32_t id = trace.at(token, layer, choice);
                if (id >= 0) {
                    const auto expert = static_cast<std::uint32_t>(id);
                    tokens_of_[expert].push_back(token);
                    ++choices(token, placement_[expert]);
                }
            }
        }
    }

    [[nodiscard]] const Placement& placement() const { return placement_; }
    [[nodiscard]] std::uint32_t devices() const { return devices_; }

    /// Returns the change of the number of devices that tokens reach if two experts change places.
    [[nodiscard]] int change(std::uint32_t a, std::uint32_t b) {
        return change_of_one(a, b) + change_of_one(b, a);
    }
    void exchange(std::uint32_t a, std::uint32_t b) {
        for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
            for (const std::uint32_t token : tokens_of_[from]) {
                --choices(token, placement_[from]);
                ++choices(token, placement_[to]);
            }
        }
        std::swap(placement_[a], placement_[b]);
    }

private:
    std::uint32_t& choices(std::uint32_t token, std::uint32_t device) {
        return choices_[std::size_t{token} * devices_ + device];
    }
    /// Change by tokens that choose `moved` and not `other`; those of both reach the same devices.
    int change_of_one(std::uint32_t moved, std::uint32_t other) {
        int change = 0;
        const std::vector<std::uint32_t>& both = tokens_of_[other];
        for (const std::uint32_t token : tokens_of_[moved]) {
            if (!std::ranges::binary_search(both, token)) {
                change += choices(token, placement_[other]) == 0 ? 1 : 0;
                change -= choices(token, placement_[moved]) == 1 ? 1 : 0;
            }
        }
        return change;
    }

    Placement placement_;
    std::uint32_t devices_;
    std::vector<std::vector<std::uint32_t>> tokens_of_;  ///< of each expert, ascending
    std::vector<std::uint32_t> choices_;                 ///< of each token on each device
};

}  // namespace

Placement linked_placement(const RoutingTrace& trace, std::uint32_t layer, Placement placement,
                           std::span<const double> loads, double most) {
    Reach reach(trace, layer, std::move(placement));
    std::vector<double> devices = loads_of(loads, reach.placement(), reach.devices());
    const auto experts = static_cast<std::uint32_t>(loads.size());
    // Returns whether two experts have changed places.
    const auto exchange_if_fewer = [&](std::uint32_t a, std::uint32_t b) {
        const std::uint32_t from = reach.placement()[a];
        const std::uint32_t to = reach.placement()[b];
        const double moved = loads[a] - loads[b];
        const bool fits = devices[from] - moved <= most && devices[to] + moved <= most;
        if (from == to || !fits || reach.change(a, b) >= 0) {
            return false;
        }
        reach.exchange(a, b);
        devices[from] -= moved;
        devices[to] += moved;
        return true;
    };
    // Each exchange reduces a whole number, so the loop ends.
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (std::uint32_t a = 0; a < experts; ++a) {
            for (std::uint32_t b = a + 1; b < experts; ++b) {
                has_changed = exchange_if_fewer(a, b) || has_changed;
            }
        }
    }
    return reach.placement();
}

}  // namespace tessera::model
