// SPDX-License-Identifier: Apache-2.0
// Generated routing of a MoE layer: which experts each token selects, with which weights, and
// which device holds which expert. Functions of the workload's seed alone.
#pragma once

#include <algorithm>
#include <cstdint>

#include "emu/base/fields/enum_names.hpp"
#include "tessera/tensor.hpp"

namespace tessera {

/// Which experts the tokens of a generated workload select.
enum class RoutingKind : std::uint8_t { Uniform, Zipf, OneExpert, HotAndEmpty };
/// How a token's weights follow from its scores.
enum class RoutingWeights : std::uint8_t { Softmax, Sigmoid };
/// Which experts a device holds: neighbouring ones, every D-th, or a permutation drawn from the
/// seed. If the devices do not divide the experts, the first E mod D devices hold one more.
enum class ExpertMapping : std::uint8_t { Contiguous, RoundRobin, Permuted };

/// What a table is drawn from; each function reads the members that it needs.
struct RoutingDraw {
    std::uint32_t tokens = 0;
    std::uint32_t experts = 0;
    std::uint32_t top_k = 0;
    RoutingKind kind = RoutingKind::Uniform;
    double zipf_exponent = 0;
    RoutingWeights weights = RoutingWeights::Softmax;
    ExpertMapping mapping = ExpertMapping::Contiguous;
    std::uint64_t seed = 0;
};

namespace config {

template <>
inline constexpr std::array kEnumNames<RoutingKind>{
    EnumName<RoutingKind>{"uniform", RoutingKind::Uniform},
    EnumName<RoutingKind>{"zipf", RoutingKind::Zipf},
    EnumName<RoutingKind>{"one_expert", RoutingKind::OneExpert},
    EnumName<RoutingKind>{"hot_and_empty", RoutingKind::HotAndEmpty},
};

template <>
inline constexpr std::array kEnumNames<RoutingWeights>{
    EnumName<RoutingWeights>{"softmax", RoutingWeights::Softmax},
    EnumName<RoutingWeights>{"sigmoid", RoutingWeights::Sigmoid},
};

template <>
inline constexpr std::array kEnumNames<ExpertMapping>{
    EnumName<ExpertMapping>{"contiguous", ExpertMapping::Contiguous},
    EnumName<ExpertMapping>{"round_robin", ExpertMapping::RoundRobin},
    EnumName<ExpertMapping>{"permuted", ExpertMapping::Permuted},
};

}  // namespace config

/// Draws `selected_experts`, (T, K) uint32, no expert twice in a row.
///
/// Uniform      any K experts.
/// Zipf         without replacement, the expert of rank r with weight 1/(r+1)^exponent; ranks are
///              dealt to experts at random.
/// OneExpert    expert 0 first, then any of the others.
/// HotAndEmpty  max(1, min(K/2, E/16)) hot experts first, which every token selects; then any of
///              the rest but E/4 experts (fewer if K needs them), which no token selects.
///
/// Errors   UsageError if K is 0 or above E, or the Zipf exponent is negative or not finite.
[[nodiscard]] HostTensor make_selected_experts(const RoutingDraw& draw);

/// Draws `routing_weights`, (T, K) bfloat16, from normal scores: softmax over a row (sum 1), or
/// sigmoid divided by the row's sum and scaled by 2.5, as DeepSeek-V3 does.
/// Errors   UsageError if K is 0.
[[nodiscard]] HostTensor make_routing_weights(const RoutingDraw& draw);

/// Entry of a mapping that names no expert.
inline constexpr std::int32_t kNoExpert = -1;

/// How many experts each of some devices holds: as vLLM's determine_expert_map, ⌊E/D⌋, and one more
/// on each of the first E mod D devices.
struct ExpertShares {
    std::uint32_t experts;
    std::uint32_t devices;

    [[nodiscard]] std::uint32_t count(std::uint32_t device) const {
        return experts / devices + (device < experts % devices ? 1 : 0);
    }
    /// Experts of the devices before this one.
    [[nodiscard]] std::uint32_t first(std::uint32_t device) const {
        return experts / devices * device + std::min(device, experts % devices);
    }
    /// Experts of the device with the most: ⌈E/D⌉.
    [[nodiscard]] std::uint32_t slots() const { return (experts + devices - 1) / devices; }
};

/// Draws `device_expert_mapping`, (D, ⌈E/D⌉) int32: row d holds the global ids of device d's
/// experts, and kNoExpert in slots without one.
///
/// Contiguous   neighbouring experts, the first ones on device 0.
/// RoundRobin   expert i·D + d in slot i of device d.
/// Permuted     a random permutation cut into rows.
///
/// Errors   UsageError if there are no devices.
[[nodiscard]] HostTensor make_device_expert_mapping(const RoutingDraw& draw,
                                                    std::uint32_t num_devices);

}  // namespace tessera
