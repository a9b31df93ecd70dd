// SPDX-License-Identifier: Apache-2.0
// The matrix product C = A·B of two matrices of tiles, with the schedules of TT-Metalium's matmuls.
#pragma once

#include <array>

#include "ops/op_spec.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/matmul_spec.hpp"
#include "tessera/program.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops::matmul {

inline constexpr std::array<std::string_view, 4> kSchedules{"single_core", "multi_core",
                                                            "multicast_2d", "multicast_1d"};
inline constexpr std::array kInputs{
    Operand{"in0", "(M,K)", "bfloat16 | bfp8_b | bfp4_b | float32", "TILE"},
    Operand{"in1", "(K,N)", "bfloat16 | bfp8_b | bfp4_b | float32", "TILE"},
};
inline constexpr std::array kOutputs{
    Operand{"out", "(M,N)", "bfloat16 | bfp8_b | bfp4_b | float32", "TILE"}};
/// Holds for HiFi4, fp32 DST and bfloat16 tensors only: one rounding to bfloat16 is at most
/// 2^-8 = 0.0039 of the element, the rest is for fp32 sums.
inline constexpr OpSpec kSpec{
    .name = "matmul",
    .summary = "matrix product: one core, tiles over all cores, or blocks shared by multicast",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = {.max_relative_error = 0.004, .min_pcc = 0.99999},
};

/// Extents in elements; tensors are padded to whole tiles.
struct MatmulShape {
    std::uint32_t m = 0;
    std::uint32_t k = 0;
    std::uint32_t n = 0;
};

struct Inputs {
    const DeviceTensor& in0;  ///< (M,K); padding of its last columns must be zero
    const DeviceTensor& in1;  ///< (K,N); padding of its last rows must be zero
};
struct Outputs {
    const DeviceTensor& out;  ///< (M,N)
};

/// How a schedule expects one tensor to be allocated.
struct OperandLayout {
    TensorSpec spec;
    BufferType type = BufferType::DRAM;
    TensorMemoryLayout layout = TensorMemoryLayout::INTERLEAVED;
    ShardSpec shard;  ///< of sharded layouts
};
struct OperandLayouts {
    OperandLayout in0;
    OperandLayout in1;
    OperandLayout out;
};

/// Where the three tensors of a product have to lie, from the placements of the schedule. Blocks of
/// a sharded tensor are those its cores own: in0 (per_core_m × a multiple of in0_block_w), out
/// (per_core_m × per_core_n).
/// Errors   as make_program; nothing of it needs a tensor.
[[nodiscard]] OperandLayouts operand_layouts(const ArchSpec& arch, const MatmulShape& shape,
                                             const MatmulSpec& schedule);

/// Builds the launch.
///
/// SingleCore   core (0,0) works through out blocks: for each, K blocks are read, multiplied
///              subblock by subblock, and partial sums spilled to L1 and reloaded (or added there
///              by the packer with packer_l1_acc).
/// MultiCore    each output tile is one core's; it reads a row of in0 and a column of in1 tile by
///              tile. Of the block lengths only cb_depth applies, in tiles.
/// Multicast2D  core (x,y) owns out block (y,x). The left column reads in0 and multicasts it along
///              rows on NoC 1 (block-sharded in0: each core in turn sends its shard); the top row
///              reads in1 and multicasts it down columns on NoC 0. The rest as SingleCore.
/// Multicast1D  cores in row-major order own rows (columns) of blocks; core (0,0) reads in1 (in0)
///              and multicasts it to the rectangle around all.
///
/// Blocks that reach beyond M or N are computed whole and written as far as they exist.
/// packer_l1_acc takes effect with more than two K blocks, as upstream.
///
/// Errors   UsageError for tensors other than operand_layouts' and for schedules that do not go
///          with the shape or the device: in0_block_w that does not divide K, blocks that do not
///          divide, a grid too small or larger than the device's, a subblock of more tiles than
///          half of DST, placements the schedule does not have, or more L1 than a core has.
/// Source   tt-metal ttnn/cpp/ttnn/operations/matmul/device/factory.
[[nodiscard]] Program make_program(const ArchSpec& arch, const Inputs& inputs,
                                   const Outputs& outputs, const MatmulSpec& schedule);

/// Float32 (M,N) from bfloat16 or float32 operands, summed in double.
[[nodiscard]] HostTensor reference(const HostTensor& in0, const HostTensor& in1);

}  // namespace tessera::ops::matmul
