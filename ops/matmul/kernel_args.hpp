// SPDX-License-Identifier: Apache-2.0
// Arguments of the data movement kernels of a matmul that multiplies blocks.
#pragma once

#include <vector>

#include "ops/matmul/core_set.hpp"

namespace tessera::ops::matmul {

using Words = std::vector<std::uint32_t>;

/// Semaphores of one operand's handshake.
struct Handshake {
    std::uint32_t replies = 0;
    std::uint32_t flag = 0;
};

/// Properties that all cores of one launch share.
struct BlockLaunch {
    const ArchSpec& arch;
    const Inputs& inputs;
    const Outputs& outputs;
    const MatmulSpec& schedule;
    Blocking blocking;
    Handshake in0;
    Handshake in1;
    std::uint32_t valid = 0;  ///< a semaphore that stays 1, sent as a flag
};

/// Returns the NoC of an operand. in0 travels on NoC 1 and in1 on NoC 0, which is upstream's better
/// one for reads from DRAM.
[[nodiscard]] NOC in0_noc(const CoreRole& role);
[[nodiscard]] NOC in1_noc(const CoreRole& role);

/// Returns the configuration, on NoC `noc`, of the kernel that feeds a core with in0 (in1, and
/// writes its output).
[[nodiscard]] DataMovementConfig in0_config(const BlockLaunch& launch, Feed feed, NOC noc);
[[nodiscard]] DataMovementConfig in1_config(const BlockLaunch& launch, Feed feed, NOC noc);
/// Returns the runtime arguments of the same kernels.
[[nodiscard]] Words in0_args(const BlockLaunch& launch, const CoreRole& role);
[[nodiscard]] Words in1_args(const BlockLaunch& launch, const CoreRole& role);

}  // namespace tessera::ops::matmul
