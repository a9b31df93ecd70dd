// SPDX-License-Identifier: Apache-2.0
// Names of enumerators in YAML.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "tessera/arch_spec.hpp"
#include "tessera/buffer.hpp"
#include "tessera/run_spec.hpp"
#include "tessera/subblock.hpp"
#include "tessera/tensor.hpp"

namespace tessera::config {

template <class E>
using EnumName = std::pair<std::string_view, E>;

/// kEnumNames<E>: one row per enumerator, in the order of messages.
template <class E>
inline constexpr std::array<EnumName<E>, 0> kEnumNames{};

template <>
inline constexpr std::array kEnumNames<Topology>{
    EnumName<Topology>{"line", Topology::Line},
    EnumName<Topology>{"ring", Topology::Ring},
    EnumName<Topology>{"torus", Topology::Torus},
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
inline constexpr std::array kEnumNames<MathFidelity>{
    EnumName<MathFidelity>{"LoFi", MathFidelity::LoFi},
    EnumName<MathFidelity>{"HiFi2", MathFidelity::HiFi2},
    EnumName<MathFidelity>{"HiFi3", MathFidelity::HiFi3},
    EnumName<MathFidelity>{"HiFi4", MathFidelity::HiFi4},
};

template <>
inline constexpr std::array kEnumNames<NocDelivery>{
    EnumName<NocDelivery>{"at_issue", NocDelivery::AtIssue},
    EnumName<NocDelivery>{"at_barrier", NocDelivery::AtBarrier},
    EnumName<NocDelivery>{"random", NocDelivery::Random},
};

template <>
inline constexpr std::array kEnumNames<UnwrittenMemory>{
    EnumName<UnwrittenMemory>{"as_left", UnwrittenMemory::AsLeft},
    EnumName<UnwrittenMemory>{"nan", UnwrittenMemory::Nan},
};

template <>
inline constexpr std::array kEnumNames<ChipRules>{
    EnumName<ChipRules>{"as_on_chip", ChipRules::AsOnChip},
    EnumName<ChipRules>{"strict", ChipRules::Strict},
};

template <>
inline constexpr std::array kEnumNames<VerifyLevel>{
    EnumName<VerifyLevel>{"every_step", VerifyLevel::EveryStep},
    EnumName<VerifyLevel>{"final_only", VerifyLevel::FinalOnly},
    EnumName<VerifyLevel>{"off", VerifyLevel::Off},
};

}  // namespace tessera::config
