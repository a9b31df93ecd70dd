// SPDX-License-Identifier: Apache-2.0
// The programs of moe_bmm's schedules, of operands that keep to the op's contract and rules.
#pragma once

#include "ops/moe_bmm/kernels/args.hpp"
#include "ops/moe_bmm/moe_bmm.hpp"
#include "ops/shared/program_builder.hpp"

namespace tessera::ops::moe_bmm {

struct Inputs {
    const DeviceTensor& input_hidden_state;
    const DeviceTensor& expert_weights;
    RoutedTokens num_routed_tokens;
};

struct Outputs {
    const DeviceTensor& output;
};

/// One device's product.
struct BmmCall {
    const ArchSpec& arch;
    const Inputs& inputs;
    const Outputs& outputs;
    const MoeBmmSpec& schedule;
    TokenTiles tiles;           ///< of the output
    std::uint32_t k_tiles = 0;  ///< of the inner extent
};

/// Returns the program of SingleCore, and of MultiCore with any k_split.
[[nodiscard]] Program multi_core_program(const BmmCall& call);
[[nodiscard]] Program multicast_rows_program(const BmmCall& call);

/// Defaults of the parameters of MultiCore: the fastest of 48 schedules of the default layer.
inline constexpr std::uint32_t kDefaultBmmKBlock = 4;
inline constexpr std::uint32_t kDefaultBmmDepth = 2;
inline constexpr Subblock kDefaultSubblock{1, 4};

/// Blocks of a core's own sums, on their way to the core that adds them.
inline constexpr std::uint32_t kPartBlocks = 2;

/// Returns the format of partial sums, which are as exact as DST.
[[nodiscard]] inline DataFormat part_format(const MoeBmmSpec& schedule) {
    return schedule.fp32_dest_acc ? DataFormat::Float32 : DataFormat::Float16_b;
}

/// Adds the circular buffers of the operands, of the counts and of the blocks' announcements.
void add_input_buffers(Program& program, const CoreRangeSet& cores, const BmmCall& call);

/// Returns the compile-time arguments of both schedules' readers.
[[nodiscard]] NamedCompileArgs reader_args(const BmmCall& call);
[[nodiscard]] ReaderTensors reader_tensors(const BmmCall& call);

/// Adds the kernel that multiplies, the same in both schedules; its runtime arguments are
/// BlockCount and InnerRange. It packs to `output`; a core that adds packs there the sums of
/// `num_parts_arriving` other cores as well.
[[nodiscard]] KernelHandle add_compute_kernel(Program& program, const CoreRangeSet& cores,
                                              const BmmCall& call, std::uint32_t num_parts_arriving,
                                              valid_tiles::Cb output);

}  // namespace tessera::ops::moe_bmm
