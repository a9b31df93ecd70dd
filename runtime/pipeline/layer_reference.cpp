// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/layer_reference.hpp"

#include <algorithm>
#include <vector>

#include "emu/base/bf16.hpp"
#include "ops/moe_bmm/moe_bmm.hpp"
#include "ops/mul/mul.hpp"
#include "ops/prepare_moe_routing_tensors/prepare_moe_routing_tensors.hpp"
#include "ops/scatter_moe_input/scatter_moe_input.hpp"
#include "ops/silu/silu.hpp"

namespace tessera::run {
namespace {

using ops::prepare_moe_routing_tensors::RoutingTables;

RoutingTables tables_of(const MoeInputs& inputs, std::uint32_t device) {
    const std::uint32_t experts = inputs.device_expert_mapping.shape[1];
    HostTensor own = make_host_tensor({experts}, DataFormat::Int32);
    std::ranges::copy(inputs.device_expert_mapping.as<std::int32_t>().subspan(
                          std::size_t{device} * experts, experts),
                      own.as<std::int32_t>().begin());
    return ops::prepare_moe_routing_tensors::reference(inputs.selected_experts,
                                                       inputs.routing_weights, own);
}

// (E/D,T,H): what a device's experts make of their tokens.
HostTensor expert_outputs(const MoeInputs& inputs, const RoutingTables& tables,
                          std::uint32_t device) {
    const auto counts = tables.num_routed_tokens.as<std::uint32_t>();
    const HostTensor scattered = ops::scatter_moe_input::reference(
        inputs.hidden_states, tables.num_routed_tokens, tables.routed_tokens);
    const auto project = [&](const HostTensor& rows, Projection projection) {
        return ops::moe_bmm::reference(rows, inputs.make_weights(projection, device), counts);
    };
    const HostTensor activated = ops::silu::reference(project(scattered, Projection::Gate), counts);
    const HostTensor combined =
        ops::mul::reference(activated, project(scattered, Projection::Up), counts);
    return project(combined, Projection::Down);
}

void add_weighted(const HostTensor& outputs, const RoutingTables& tables,
                  std::vector<double>& sums) {
    const std::size_t tokens = outputs.shape[1];
    const std::size_t hidden = outputs.shape[2];
    const auto counts = tables.num_routed_tokens.as<std::uint32_t>();
    for (std::size_t expert = 0; expert < counts.size(); ++expert) {
        for (std::size_t i = expert * tokens; i < expert * tokens + counts[expert]; ++i) {
            const std::size_t token = tables.token_idx_map.as<std::uint32_t>()[i];
            const double weight = bf16_to_float(tables.routed_token_weights.as<std::uint16_t>()[i]);
            const auto row = outputs.as<float>().subspan(i * hidden, hidden);
            for (std::size_t h = 0; h < hidden; ++h) {
                sums[token * hidden + h] += weight * static_cast<double>(row[h]);
            }
        }
    }
}

}  // namespace

HostTensor layer_reference(const MoeInputs& inputs) {
    HostTensor final = make_host_tensor(inputs.hidden_states.shape, DataFormat::Float32);
    std::vector<double> sums(num_elements(final.shape));
    for (std::uint32_t device = 0; device < inputs.device_expert_mapping.shape[0]; ++device) {
        const RoutingTables tables = tables_of(inputs, device);
        add_weighted(expert_outputs(inputs, tables, device), tables, sums);
    }
    std::ranges::transform(sums, final.as<float>().begin(),
                           [](double sum) { return static_cast<float>(sum); });
    return final;
}

}  // namespace tessera::run
