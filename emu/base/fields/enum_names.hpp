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
    EnumName<Pipeline>{"matmul", Pipeline::Matmul},
    EnumName<Pipeline>{"eltwise", Pipeline::Eltwise},
    EnumName<Pipeline>{"reshard", Pipeline::Reshard},
    EnumName<Pipeline>{"copy", Pipeline::Copy},
};

template <>
inline constexpr std::array kEnumNames<EltwiseFunction>{
    EnumName<EltwiseFunction>{"add", EltwiseFunction::Add},
    EnumName<EltwiseFunction>{"sub", EltwiseFunction::Sub},
    EnumName<EltwiseFunction>{"mul", EltwiseFunction::Mul},
    EnumName<EltwiseFunction>{"div", EltwiseFunction::Div},
    EnumName<EltwiseFunction>{"max", EltwiseFunction::Max},
    EnumName<EltwiseFunction>{"min", EltwiseFunction::Min},
    EnumName<EltwiseFunction>{"abs", EltwiseFunction::Abs},
    EnumName<EltwiseFunction>{"exp", EltwiseFunction::Exp},
    EnumName<EltwiseFunction>{"gelu", EltwiseFunction::Gelu},
    EnumName<EltwiseFunction>{"identity", EltwiseFunction::Identity},
    EnumName<EltwiseFunction>{"log", EltwiseFunction::Log},
    EnumName<EltwiseFunction>{"negative", EltwiseFunction::Negative},
    EnumName<EltwiseFunction>{"recip", EltwiseFunction::Recip},
    EnumName<EltwiseFunction>{"relu", EltwiseFunction::Relu},
    EnumName<EltwiseFunction>{"rsqrt", EltwiseFunction::Rsqrt},
    EnumName<EltwiseFunction>{"sigmoid", EltwiseFunction::Sigmoid},
    EnumName<EltwiseFunction>{"sign", EltwiseFunction::Sign},
    EnumName<EltwiseFunction>{"silu", EltwiseFunction::Silu},
    EnumName<EltwiseFunction>{"sqrt", EltwiseFunction::Sqrt},
    EnumName<EltwiseFunction>{"square", EltwiseFunction::Square},
    EnumName<EltwiseFunction>{"tanh", EltwiseFunction::Tanh},
};

template <>
inline constexpr std::array kEnumNames<DataFormat>{
    EnumName<DataFormat>{"bfloat16", DataFormat::Float16_b},
    EnumName<DataFormat>{"float32", DataFormat::Float32},
    EnumName<DataFormat>{"bfp8_b", DataFormat::Bfp8_b},
    EnumName<DataFormat>{"bfp4_b", DataFormat::Bfp4_b},
    EnumName<DataFormat>{"fp8_e4m3", DataFormat::Fp8_e4m3},
    EnumName<DataFormat>{"fp8_e5m2", DataFormat::Lf8},
    EnumName<DataFormat>{"int32", DataFormat::Int32},
    EnumName<DataFormat>{"uint32", DataFormat::UInt32},
    EnumName<DataFormat>{"uint16", DataFormat::UInt16},
    EnumName<DataFormat>{"uint8", DataFormat::UInt8},
};

template <>
inline constexpr std::array kEnumNames<Layout>{
    EnumName<Layout>{"tile", Layout::TILE},
    EnumName<Layout>{"row_major", Layout::ROW_MAJOR},
};

template <>
inline constexpr std::array kEnumNames<BufferType>{
    EnumName<BufferType>{"dram", BufferType::DRAM},
    EnumName<BufferType>{"l1", BufferType::L1},
};

template <>
inline constexpr std::array kEnumNames<TensorMemoryLayout>{
    EnumName<TensorMemoryLayout>{"interleaved", TensorMemoryLayout::INTERLEAVED},
    EnumName<TensorMemoryLayout>{"block", TensorMemoryLayout::BLOCK_SHARDED},
    EnumName<TensorMemoryLayout>{"height", TensorMemoryLayout::HEIGHT_SHARDED},
    EnumName<TensorMemoryLayout>{"width", TensorMemoryLayout::WIDTH_SHARDED},
};

template <>
inline constexpr std::array kEnumNames<ShardOrientation>{
    EnumName<ShardOrientation>{"row_major", ShardOrientation::ROW_MAJOR},
    EnumName<ShardOrientation>{"col_major", ShardOrientation::COL_MAJOR},
};

template <>
inline constexpr std::array kEnumNames<ReshardMovers>{
    EnumName<ReshardMovers>{"both", ReshardMovers::Both},
    EnumName<ReshardMovers>{"noc_0", ReshardMovers::Noc0},
    EnumName<ReshardMovers>{"noc_1", ReshardMovers::Noc1},
};

template <>
inline constexpr std::array kEnumNames<MatmulSchedule>{
    EnumName<MatmulSchedule>{"single_core", MatmulSchedule::SingleCore},
    EnumName<MatmulSchedule>{"multi_core", MatmulSchedule::MultiCore},
    EnumName<MatmulSchedule>{"multicast_2d", MatmulSchedule::Multicast2D},
    EnumName<MatmulSchedule>{"multicast_1d", MatmulSchedule::Multicast1D},
};

template <>
inline constexpr std::array kEnumNames<MulticastOperand>{
    EnumName<MulticastOperand>{"in0", MulticastOperand::In0},
    EnumName<MulticastOperand>{"in1", MulticastOperand::In1},
};

template <>
inline constexpr std::array kEnumNames<TensorPlacement>{
    EnumName<TensorPlacement>{"dram_interleaved", TensorPlacement::DramInterleaved},
    EnumName<TensorPlacement>{"l1_interleaved", TensorPlacement::L1Interleaved},
    EnumName<TensorPlacement>{"l1_block_sharded", TensorPlacement::L1BlockSharded},
    EnumName<TensorPlacement>{"l1_height_sharded", TensorPlacement::L1HeightSharded},
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
