// SPDX-License-Identifier: Apache-2.0
// Configurations of kernels: processor, NoC, modes and compile-time arguments.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tt-metalium/base_types.hpp"
#include "tt-metalium/data_types.hpp"

namespace tt::tt_metal {

using Defines = std::map<std::string, std::string>;
using NamedCompileArgs = std::unordered_map<std::string, std::uint32_t>;

/// Optimisation level on the chip's compiler. Kernels here compile at one level.
enum class KernelBuildOptLevel : std::uint8_t { O1, O2, O3, O0, Os, Ofast, Oz };

/// Processor, NoC and compile-time arguments of a data movement kernel.
// The analyzer of clang 14 does not recognise the braces with which a derived class initialises
// this one.
// NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign)
struct DataMovementConfig {
    DataMovementProcessor processor = DataMovementProcessor::RISCV_0;
    NOC noc = NOC::RISCV_0_default;
    NOC_MODE noc_mode = NOC_MODE::DM_DEDICATED_NOC;
    std::vector<std::uint32_t> compile_args;
    Defines defines;
    NamedCompileArgs named_compile_args;
    KernelBuildOptLevel opt_level = KernelBuildOptLevel::O2;
};

/// A reader: RISCV_1 on NoC 0.
struct ReaderDataMovementConfig : DataMovementConfig {
    explicit ReaderDataMovementConfig(std::vector<std::uint32_t> args = {}, Defines macros = {},
                                      NamedCompileArgs named_args = {},
                                      KernelBuildOptLevel level = KernelBuildOptLevel::O2)
        : DataMovementConfig{DataMovementProcessor::RISCV_1,
                             NOC::NOC_0,
                             NOC_MODE::DM_DEDICATED_NOC,
                             std::move(args),
                             std::move(macros),
                             std::move(named_args),
                             level} {}
};

/// A writer: RISCV_0 on NoC 1.
struct WriterDataMovementConfig : DataMovementConfig {
    explicit WriterDataMovementConfig(std::vector<std::uint32_t> args = {}, Defines macros = {},
                                      NamedCompileArgs named_args = {},
                                      KernelBuildOptLevel level = KernelBuildOptLevel::O2)
        : DataMovementConfig{DataMovementProcessor::RISCV_0,
                             NOC::NOC_1,
                             NOC_MODE::DM_DEDICATED_NOC,
                             std::move(args),
                             std::move(macros),
                             std::move(named_args),
                             level} {}
};

/// Modes and compile-time arguments of a compute kernel.
struct ComputeConfig {
    MathFidelity math_fidelity = MathFidelity::HiFi4;
    bool fp32_dest_acc_en = false;
    bool dst_full_sync_en = false;
    std::vector<UnpackToDestMode> unpack_to_dest_mode;  ///< by circular buffer
    bool bfp8_pack_precise = false;
    bool math_approx_mode = false;
    std::vector<std::uint32_t> compile_args;
    Defines defines;
    NamedCompileArgs named_compile_args;
    KernelBuildOptLevel opt_level = KernelBuildOptLevel::O3;
};

/// A kernel of an Ethernet core, which Tessera does not have: CreateKernel refuses it.
struct EthernetConfig {
    Eth eth_mode = Eth::SENDER;
    NOC noc = NOC::NOC_0;
    DataMovementProcessor processor = DataMovementProcessor::RISCV_0;
    std::vector<std::uint32_t> compile_args;
    Defines defines;
    KernelBuildOptLevel opt_level = KernelBuildOptLevel::Os;
};

[[nodiscard]] inline NOC preferred_noc_for_dram_read(ARCH /*arch*/) {
    return NOC::NOC_0;
}
[[nodiscard]] inline NOC preferred_noc_for_dram_write(ARCH /*arch*/) {
    return NOC::NOC_1;
}
namespace detail {
using tt_metal::preferred_noc_for_dram_read;
using tt_metal::preferred_noc_for_dram_write;
}  // namespace detail
namespace hal {
using tt_metal::preferred_noc_for_dram_read;
using tt_metal::preferred_noc_for_dram_write;
}  // namespace hal

}  // namespace tt::tt_metal
