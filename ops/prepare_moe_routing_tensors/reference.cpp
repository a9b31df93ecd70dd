// SPDX-License-Identifier: Apache-2.0
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ops/prepare_moe_routing_tensors/prepare_moe_routing_tensors.hpp"
#include "tessera/errors.hpp"

namespace tessera::ops::prepare_moe_routing_tensors {
namespace {

struct RoutingTables {
    HostTensor num_routed_tokens;
    HostTensor routed_tokens;
    HostTensor routed_token_weights;
    HostTensor token_idx_map;
};

RoutingTables empty_tables(std::uint32_t experts, std::uint32_t tokens) {
    RoutingTables tables{make_host_tensor({experts, 1}, DataFormat::UInt32),
                         make_host_tensor({experts, tokens}, DataFormat::UInt32),
                         make_host_tensor({experts, tokens}, DataFormat::Float16_b),
                         {}};
    // Entries after the count are no token on the device, too.
    std::ranges::fill(tables.routed_tokens.as<std::uint32_t>(), kNoToken);
    return tables;
}

/// One of a group's local experts.
struct ExpertPlace {
    std::size_t device = 0;  ///< its position in the group
    std::size_t index = 0;
};

std::string text_of(const ExpertPlace& place) {
    return fmt::format("local_experts({}) of device {}", place.index, place.device);
}

/// @returns how many experts there are.
std::size_t check_local_experts(const std::vector<HostTensor>& local_experts) {
    std::size_t count = 0;
    for (const HostTensor& ids : local_experts) {
        const auto slots = ids.as<std::int32_t>();
        count += slots.size() - static_cast<std::size_t>(std::ranges::count(slots, kNoExpert));
    }
    // The experts of a group are a permutation: each id occurs exactly once.
    std::vector<std::optional<ExpertPlace>> places(count);
    for (std::size_t device = 0; device < local_experts.size(); ++device) {
        const auto ids = local_experts[device].as<std::int32_t>();
        for (std::size_t i = 0; i < ids.size(); ++i) {
            if (ids[i] == kNoExpert) {
                continue;
            }
            const ExpertPlace place{device, i};
            require(ids[i] >= 0 && static_cast<std::size_t>(ids[i]) < count,
                    "{}: {} is {}; expert ids are 0 to {}", kSpec.name, text_of(place), ids[i],
                    count - 1);
            auto& first = places[static_cast<std::size_t>(ids[i])];
            require(!first, "{}: {} is {}, as is {}; allowed: each expert once", kSpec.name,
                    text_of(place), ids[i], text_of(first.value_or(ExpertPlace{})));
            first = place;
        }
    }
    return count;
}

void check_selection(const HostTensor& selected, std::size_t num_experts) {
    const auto ids = selected.as<std::uint32_t>();
    const std::size_t top_k = selected.shape[1];
    const auto position = [&](std::size_t index) {
        return fmt::format("({},{})", index / top_k, index % top_k);
    };
    // One place for each expert instead of a search in the row: a batch has many tokens.
    std::vector<std::size_t> last_seen(num_experts, ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
        require(ids[i] < num_experts, "{}: selected_experts{} is {}; expert ids are 0 to {}",
                kSpec.name, position(i), ids[i], num_experts - 1);
        std::size_t& last = last_seen[ids[i]];
        require(last == ids.size() || last / top_k != i / top_k,
                "{}: selected_experts{} is {}, as is {}; a token selects an expert once",
                kSpec.name, position(i), ids[i], position(last));
        last = i;
    }
}

}  // namespace

void check_values(const ReferenceContext& context) {
    check_selection(context.read("selected_experts"_in),
                    check_local_experts(context.read_all("local_experts"_in)));
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const HostTensor selected_experts = context.read("selected_experts"_in);
    const HostTensor routing_weights = context.read("routing_weights"_in);
    const HostTensor local_experts = context.read("local_experts"_in);
    const std::size_t tokens = selected_experts.shape[0];
    const std::size_t top_k = selected_experts.shape[1];
    RoutingTables tables = empty_tables(local_experts.shape[0], selected_experts.shape[0]);
    const auto selected = selected_experts.as<std::uint32_t>();
    const auto weights = routing_weights.as<std::uint16_t>();
    const auto ids = local_experts.as<std::uint32_t>();
    const auto counts = tables.num_routed_tokens.as<std::uint32_t>();
    const auto routed = tables.routed_tokens.as<std::uint32_t>();
    const auto routed_weights = tables.routed_token_weights.as<std::uint16_t>();
    tbb::parallel_for(std::size_t{0}, ids.size(), [&](std::size_t l) {
        // Tokens ascending: an expert's list is in this order by contract.
        for (std::size_t t = 0; t < tokens; ++t) {
            const auto row = selected.subspan(t * top_k, top_k);
            // The first match, as in the kernel; check_values has refused a second one.
            const auto found = std::ranges::find(row, ids[l]);
            if (found != row.end()) {
                const std::size_t place = l * tokens + counts[l]++;
                routed[place] = static_cast<std::uint32_t>(t);
                routed_weights[place] =
                    weights[t * top_k + static_cast<std::size_t>(found - row.begin())];
            }
        }
    });
    // Without padding of tokens the map from rows to tokens is the list itself.
    tables.token_idx_map = tables.routed_tokens;
    return list_of(std::move(tables.num_routed_tokens), std::move(tables.routed_tokens),
                   std::move(tables.routed_token_weights), std::move(tables.token_idx_map));
}

}  // namespace tessera::ops::prepare_moe_routing_tensors
