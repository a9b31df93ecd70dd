// SPDX-License-Identifier: Apache-2.0
// Random routing of tokens to experts, and the resulting tables of one device, computed by loops
// over tokens. Entries after the counts are garbage on purpose.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "tests/ops/device_fixture.hpp"

namespace tessera::testing {

struct RoutingShape {
    std::uint32_t tokens;
    std::uint32_t top_k;
    std::uint32_t experts;        ///< on all devices
    std::uint32_t local_experts;  ///< on the tested device

    [[nodiscard]] std::string name() const {
        return "T" + std::to_string(tokens) + "_K" + std::to_string(top_k) + "_E" +
               std::to_string(experts) + "_L" + std::to_string(local_experts);
    }
};

/// Returns a finite bfloat16 of either sign that is not too small.
inline std::uint16_t random_bf16(std::mt19937& random) {
    const auto exponent = 120 + random() % 12;
    return static_cast<std::uint16_t>((random() % 2) << 15 | exponent << 7 | random() % 128);
}

inline HostTensor random_bf16_tensor(const Shape& shape, std::uint32_t seed) {
    HostTensor tensor = make_host_tensor(shape, DataFormat::Float16_b);
    std::mt19937 random(seed);
    std::ranges::generate(tensor.as<std::uint16_t>(), [&] { return random_bf16(random); });
    return tensor;
}

/// The router's output, and the experts of the device.
struct Routing {
    HostTensor selected_experts;
    HostTensor routing_weights;
    HostTensor local_experts;
};

inline Routing random_routing(const RoutingShape& shape, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<std::int32_t> ids(shape.experts);
    std::iota(ids.begin(), ids.end(), 0);
    std::vector<std::uint32_t> selected;
    for (std::uint32_t t = 0; t < shape.tokens; ++t) {
        std::ranges::shuffle(ids, random);
        selected.insert(selected.end(), ids.begin(), ids.begin() + shape.top_k);
    }
    std::ranges::shuffle(ids, random);
    ids.resize(shape.local_experts);
    return {host_tensor({shape.tokens, shape.top_k}, DataFormat::UInt32, selected),
            random_bf16_tensor({shape.tokens, shape.top_k}, seed + 1),
            host_tensor({shape.local_experts}, DataFormat::Int32, ids)};
}

struct Tables {
    HostTensor num_routed_tokens;
    HostTensor routed_tokens;
    HostTensor weights;
};

/// Entries after the counts name token 0 or are beyond the tokens, with NaN as weight.
inline Tables tables_of(const Routing& routing) {
    const std::uint32_t tokens = routing.selected_experts.shape[0];
    const std::uint32_t top_k = routing.selected_experts.shape[1];
    const std::uint32_t experts = routing.local_experts.shape[0];
    Tables tables{make_host_tensor({experts, 1}, DataFormat::UInt32),
                  make_host_tensor({experts, tokens}, DataFormat::UInt32),
                  make_host_tensor({experts, tokens}, DataFormat::Float16_b)};
    const auto routed = tables.routed_tokens.as<std::uint32_t>();
    const auto weights = tables.weights.as<std::uint16_t>();
    for (std::size_t i = 0; i < routed.size(); ++i) {
        routed[i] = i % 2 == 0 ? 0 : 0xFFFFFFFF;
        weights[i] = 0x7FC0;
    }
    for (std::uint32_t choice = 0; choice < tokens * top_k; ++choice) {
        const auto id =
            static_cast<std::int32_t>(routing.selected_experts.as<std::uint32_t>()[choice]);
        const auto ids = routing.local_experts.as<std::int32_t>();
        const auto place = std::ranges::find(ids, id);
        if (place != ids.end()) {
            const auto expert = static_cast<std::uint32_t>(place - ids.begin());
            const auto entry =
                expert * tokens + tables.num_routed_tokens.as<std::uint32_t>()[expert]++;
            routed[entry] = choice / top_k;
            weights[entry] = routing.routing_weights.as<std::uint16_t>()[choice];
        }
    }
    return tables;
}

}  // namespace tessera::testing
