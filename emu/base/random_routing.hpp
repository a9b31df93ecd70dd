// SPDX-License-Identifier: Apache-2.0
// Generated routing of a MoE layer: the experts and weights of each token, and the experts of each
// device. All are functions of the workload's seed only.
#pragma once

#include <algorithm>
#include <cstdint>

#include "emu/base/fields/enum_names.hpp"
#include "tessera/tensor.hpp"

namespace tessera {

/// Selection of experts by the tokens of a generated workload.
enum class RoutingKind : std::uint8_t { Uniform, Zipf, OneExpert, HotAndEmpty };
/// Conversion of a token's scores to weights.
enum class RoutingWeights : std::uint8_t { Softmax, Sigmoid };
/// Experts of a device: consecutive ones, every D-th, or a permutation drawn from the seed. If the
/// number of experts E is not a multiple of the D devices, the first E mod D devices hold one more.
enum class ExpertMapping : std::uint8_t { Contiguous, RoundRobin, Permuted };

/// Parameters of a draw; each function reads the members that it needs.
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

/// Draws `selected_experts`, (T, K) uint32, without repeated experts in a row.
///
/// Uniform      any K experts.
/// Zipf         without replacement, the expert of rank r with weight 1/(r+1)^exponent; ranks are
///              assigned to experts at random.
/// OneExpert    expert 0 first, then any other experts.
/// HotAndEmpty  max(1, min(K/2, E/16)) hot experts first, which every token selects; then any of
///              the rest except E/4 experts (fewer if K needs them), which no token selects.
///
/// Errors   UsageError if K is 0 or above E, or the Zipf exponent is negative or not finite.
[[nodiscard]] HostTensor make_selected_experts(const RoutingDraw& draw);

/// Draws `routing_weights`, (T, K) bfloat16, from normal scores: softmax over a row (sum 1), or
/// sigmoid divided by the row's sum and scaled by 2.5, as DeepSeek-V3 does.
/// Errors   UsageError if K is 0.
[[nodiscard]] HostTensor make_routing_weights(const RoutingDraw& draw);

/// Mapping entry of a slot without an expert.
inline constexpr std::int32_t kNoExpert = -1;

/// Numbers of experts per device: ⌊E/D⌋, and one more on each of the first E mod D devices, as in
/// vLLM's determine_expert_map.
struct ExpertShares {
    std::uint32_t experts;
    std::uint32_t devices;

    [[nodiscard]] std::uint32_t count(std::uint32_t device) const {
        return experts / devices + (device < experts % devices ? 1 : 0);
    }
    /// Returns the number of experts on all devices before this one.
    [[nodiscard]] std::uint32_t first(std::uint32_t device) const {
        return experts / devices * device + std::min(device, experts % devices);
    }
    /// Returns the largest number of experts on a device: ⌈E/D⌉.
    [[nodiscard]] std::uint32_t slots() const { return (experts + devices - 1) / devices; }
};

/// Draws `device_expert_mapping`, (D, ⌈E/D⌉) int32: row d holds the global ids of device d's
/// experts, and kNoExpert in slots without one.
///
/// Contiguous   consecutive experts, the first ones on device 0.
/// RoundRobin   expert i·D + d in slot i of device d.
/// Permuted     a random permutation cut into rows.
///
/// Errors   UsageError if there are no devices.
[[nodiscard]] HostTensor make_device_expert_mapping(const RoutingDraw& draw,
                                                    std::uint32_t num_devices);

}  // namespace tessera
