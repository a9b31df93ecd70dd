// SPDX-License-Identifier: Apache-2.0
// The words that stand for enumerators in YAML.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "tessera/run_spec.hpp"

namespace tessera::config {

template <class E>
using EnumName = std::pair<std::string_view, E>;

/// kEnumNames<E>: one row per enumerator, in the order in which messages list them.
template <class E>
inline constexpr std::array<EnumName<E>, 0> kEnumNames{};

template <>
inline constexpr std::array kEnumNames<Topology>{
    EnumName<Topology>{"line", Topology::Line},
    EnumName<Topology>{"ring", Topology::Ring},
    EnumName<Topology>{"torus", Topology::Torus},
};

template <>
inline constexpr std::array kEnumNames<Pipeline>{
    EnumName<Pipeline>{"moe_v2", Pipeline::MoeV2},
};

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

template <>
inline constexpr std::array kEnumNames<BmmSchedule>{
    EnumName<BmmSchedule>{"single_core", BmmSchedule::SingleCore},
    EnumName<BmmSchedule>{"multi_core", BmmSchedule::MultiCore},
};

template <>
inline constexpr std::array kEnumNames<TileDistribution>{
    EnumName<TileDistribution>{"block", TileDistribution::Block},
    EnumName<TileDistribution>{"round_robin", TileDistribution::RoundRobin},
};

template <>
inline constexpr std::array kEnumNames<MathFidelity>{
    EnumName<MathFidelity>{"LoFi", MathFidelity::LoFi},
    EnumName<MathFidelity>{"HiFi2", MathFidelity::HiFi2},
    EnumName<MathFidelity>{"HiFi3", MathFidelity::HiFi3},
    EnumName<MathFidelity>{"HiFi4", MathFidelity::HiFi4},
};

template <>
inline constexpr std::array kEnumNames<ActivationSchedule>{
    EnumName<ActivationSchedule>{"separate", ActivationSchedule::Separate},
    EnumName<ActivationSchedule>{"fused", ActivationSchedule::Fused},
};

template <>
inline constexpr std::array kEnumNames<ReduceAccumulator>{
    EnumName<ReduceAccumulator>{"fp32", ReduceAccumulator::Fp32},
    EnumName<ReduceAccumulator>{"bf16_rne", ReduceAccumulator::Bf16Rne},
    EnumName<ReduceAccumulator>{"bf16_truncate", ReduceAccumulator::Bf16Truncate},
};

template <>
inline constexpr std::array kEnumNames<AllReduceAlgorithm>{
    EnumName<AllReduceAlgorithm>{"ring", AllReduceAlgorithm::Ring},
};

template <>
inline constexpr std::array kEnumNames<PartialSums>{
    EnumName<PartialSums>{"fp32", PartialSums::Fp32},
    EnumName<PartialSums>{"bf16", PartialSums::Bf16},
};

template <>
inline constexpr std::array kEnumNames<NocDelivery>{
    EnumName<NocDelivery>{"at_issue", NocDelivery::AtIssue},
    EnumName<NocDelivery>{"at_barrier", NocDelivery::AtBarrier},
    EnumName<NocDelivery>{"random", NocDelivery::Random},
};

template <>
inline constexpr std::array kEnumNames<VerifyLevel>{
    EnumName<VerifyLevel>{"every_step", VerifyLevel::EveryStep},
    EnumName<VerifyLevel>{"final_only", VerifyLevel::FinalOnly},
    EnumName<VerifyLevel>{"off", VerifyLevel::Off},
};

}  // namespace tessera::config
