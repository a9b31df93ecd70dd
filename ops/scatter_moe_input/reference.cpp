// SPDX-License-Identifier: Apache-2.0
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "ops/scatter_moe_input/scatter_moe_input.hpp"

namespace tessera::ops::scatter_moe_input {

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const HostTensor hidden_states = context.read("hidden_states"_in);
    const HostTensor num_routed_tokens = context.read("num_routed_tokens"_in);
    const HostTensor routed_tokens = context.read("routed_tokens"_in);
    const std::size_t experts = routed_tokens.shape[0];
    const std::size_t tokens = hidden_states.shape[0];
    const std::size_t hidden = hidden_states.shape[1];
    HostTensor scattered =
        make_host_tensor({routed_tokens.shape[0], hidden_states.shape[0], hidden_states.shape[1]},
                         DataFormat::Float16_b);
    const auto rows = hidden_states.as<std::uint16_t>();
    const auto counts = num_routed_tokens.as<std::uint32_t>();
    const auto table = routed_tokens.as<std::uint32_t>();
    const auto out = scattered.as<std::uint16_t>();
    // Experts are independent of each other.
    tbb::parallel_for(std::size_t{0}, experts, [&](std::size_t e) {
        // Rows from the count on stay 0, as the contract states.
        for (std::size_t i = 0; i < counts[e]; ++i) {
            const auto row = rows.subspan(table[e * tokens + i] * hidden, hidden);
            std::ranges::copy(row, out.subspan((e * tokens + i) * hidden, hidden).begin());
        }
    });
    return list_of(std::move(scattered));
}

}  // namespace tessera::ops::scatter_moe_input
