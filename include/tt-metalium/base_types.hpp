// SPDX-License-Identifier: Apache-2.0
// Modes of compute kernels and kinds of cores under TT-Metalium's names. The vendor declares the
// first two outside of any namespace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tt-metalium/tt_backend_api_types.hpp"

/// Number of mantissa slices that the multiplier processes.
enum class MathFidelity : std::uint8_t {
    LoFi = 0,
    HiFi2 = 2,
    HiFi3 = 3,
    HiFi4 = 4,
    Invalid = 0xff
};

/// Path of a circular buffer's Float32 tiles to DST: through SrcA (Default), or with all bits.
enum class UnpackToDestMode : std::uint8_t { UnpackToDestFp32, Default };

/// Kind of core. Only worker cores run kernels here.
enum class CoreType : std::uint8_t { WORKER = 0, TENSIX = 0, ETH, IDLE_ETH, DRAM, ARC, PCIE };

namespace tt {

using ::CoreType;
using ::MathFidelity;
/// Use of DST, as older programs set it: whole, or in halves.
enum class DstMode : std::uint8_t { Full = 0, Half = 1, Tilize = 2, NUM_DST_MODES = 3 };
using ChipId = int;
using chip_id_t = int;

namespace tt_metal {
using ::MathFidelity;
using ::UnpackToDestMode;
using tt::chip_id_t;
using tt::ChipId;
using KernelHandle = std::uint32_t;
using CBHandle = std::uintptr_t;
using DeviceAddr = std::uint64_t;
using ProgramId = std::uint64_t;
}  // namespace tt_metal
}  // namespace tt

using chip_id_t = int;

template <>
inline constexpr bool tt::names::kIsPrinted<MathFidelity> = true;
template <>
inline constexpr bool tt::names::kIsPrinted<UnpackToDestMode> = true;
