// SPDX-License-Identifier: Apache-2.0
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "ops/prepare_moe_routing_tensors/prepare_moe_routing_tensors.hpp"

namespace tessera::ops::prepare_moe_routing_tensors {
namespace {

RoutingTables empty_tables(std::uint32_t experts, std::uint32_t tokens) {
    RoutingTables tables{make_host_tensor({experts, 1}, DataFormat::UInt32),
                         make_host_tensor({experts, tokens}, DataFormat::UInt32),
                         make_host_tensor({experts, tokens}, DataFormat::Float16_b),
                         {}};
    std::ranges::fill(tables.routed_tokens.as<std::uint32_t>(), kNoToken);
    return tables;
}

}  // namespace

RoutingTables reference(const HostTensor& selected_experts, const HostTensor& routing_weights,
                        const HostTensor& local_experts) {
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
        for (std::size_t t = 0; t < tokens; ++t) {
            const auto row = selected.subspan(t * top_k, top_k);
            const auto found = std::ranges::find(row, ids[l]);
            if (found != row.end()) {
                const std::size_t place = l * tokens + counts[l]++;
                routed[place] = static_cast<std::uint32_t>(t);
                routed_weights[place] =
                    weights[t * top_k + static_cast<std::size_t>(found - row.begin())];
            }
        }
    });
    tables.token_idx_map = tables.routed_tokens;
    return tables;
}

}  // namespace tessera::ops::prepare_moe_routing_tensors
