// SPDX-License-Identifier: Apache-2.0
// The matrix product C = A·B of two matrices of tiles, with the schedules of TT-Metalium's matmuls.
#pragma once

#include <array>
#include <cstdint>

#include "ops/op.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/data_format.hpp"
#include "tessera/program.hpp"
#include "tessera/subblock.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops {

/// SingleCore: core (0,0) computes all blocks in sequence.
/// MultiCore: output tiles are distributed over the cores. Each core reads its own operands, one
/// tile at a time.
/// Multicast2D: a block of output for each core; in0 is multicast along rows of cores, in1 down
/// columns (MatmulMultiCoreReuseMultiCast).
/// Multicast1D: one operand is multicast to all cores; each core reads its own part of the other
/// one (MatmulMultiCoreReuseMultiCast1D).
enum class MatmulSchedule : std::uint8_t { SingleCore, MultiCore, Multicast2D, Multicast1D };

/// The operand that Multicast1D sends to all cores. In1: rows of output are spread over the cores
/// (mcast_in0 = false); In0: columns are.
enum class MulticastOperand : std::uint8_t { In1, In0 };

/// Placement of a tensor's tiles.
enum class TensorPlacement : std::uint8_t {
    DramInterleaved,
    L1Interleaved,
    L1BlockSharded,
    L1HeightSharded
};

struct MatmulOperandSpec {
    TensorPlacement placement = TensorPlacement::DramInterleaved;
    DataFormat format = DataFormat::Float16_b;  ///< ignored for inputs, whose tensor has one
};

/// All lengths count tiles; 0 means derived from the shapes where it says so.
struct MatmulSpec {
    MatmulSchedule schedule = MatmulSchedule::Multicast2D;
    MulticastOperand multicast_operand = MulticastOperand::In1;  ///< for Multicast1D
    GridSize grid;                  ///< cores to spread over; 0×0: all the device offers
    std::uint32_t in0_block_w = 1;  ///< K tiles of a block; must divide K
    std::uint32_t per_core_m = 0;  ///< output rows of a core; 0: M spread over the grid, rounded up
    std::uint32_t per_core_n = 0;  ///< output columns of a core; 0: as per_core_m, of N
    std::uint32_t out_block_h = 0;  ///< output rows of one pass over K; 0: per_core_m
    std::uint32_t out_block_w = 0;  ///< output columns of one pass over K; 0: per_core_n
    Subblock out_subblock;          ///< must divide the out block
    std::uint32_t cb_depth = 2;     ///< blocks that each input CB holds
    bool fp32_dest_acc = false;
    bool packer_l1_acc = false;  ///< partial sums are added by the packer instead of reloaded
    MathFidelity math_fidelity = MathFidelity::HiFi2;
    MatmulOperandSpec in0;
    MatmulOperandSpec in1;
    MatmulOperandSpec out;
};

}  // namespace tessera::ops

namespace tessera::config {

template <>
inline constexpr std::array kEnumNames<ops::MatmulSchedule>{
    EnumName<ops::MatmulSchedule>{"single_core", ops::MatmulSchedule::SingleCore},
    EnumName<ops::MatmulSchedule>{"multi_core", ops::MatmulSchedule::MultiCore},
    EnumName<ops::MatmulSchedule>{"multicast_2d", ops::MatmulSchedule::Multicast2D},
    EnumName<ops::MatmulSchedule>{"multicast_1d", ops::MatmulSchedule::Multicast1D},
};

template <>
inline constexpr std::array kEnumNames<ops::MulticastOperand>{
    EnumName<ops::MulticastOperand>{"in0", ops::MulticastOperand::In0},
    EnumName<ops::MulticastOperand>{"in1", ops::MulticastOperand::In1},
};

template <>
inline constexpr std::array kEnumNames<ops::TensorPlacement>{
    EnumName<ops::TensorPlacement>{"dram_interleaved", ops::TensorPlacement::DramInterleaved},
    EnumName<ops::TensorPlacement>{"l1_interleaved", ops::TensorPlacement::L1Interleaved},
    EnumName<ops::TensorPlacement>{"l1_block_sharded", ops::TensorPlacement::L1BlockSharded},
    EnumName<ops::TensorPlacement>{"l1_height_sharded", ops::TensorPlacement::L1HeightSharded},
};

}  // namespace tessera::config

namespace tessera::ops::matmul {

inline constexpr std::array<std::string_view, 4> kSchedules{"single_core", "multi_core",
                                                            "multicast_2d", "multicast_1d"};
inline constexpr std::array kInputs{
    Operand{.name = "in0",
            .shape = "(M, K)",
            .format = "bfloat16 | bfp8_b | bfp4_b | float32",
            .layout = "TILE",
            .lies = Lies::Anyhow},
    Operand{"in1", "(K, N)", "bfloat16 | bfp8_b | bfp4_b | float32", "TILE"},
};
inline constexpr std::array kOutputs{Operand{.name = "out",
                                             .shape = "(M, N)",
                                             .format = "bfloat16 | bfp8_b | bfp4_b | float32",
                                             .layout = "TILE",
                                             .lies = Lies::Anyhow}};

/// Positions of operands by their names: "in0"_in.
consteval std::size_t operator""_in(const char* name, std::size_t /*size*/) {
    return place_of(kInputs, name);
}
/// One rounding to bfloat16 is at most
/// 2^-8 = 0.0039 of the element, the rest is for fp32 sums.
inline constexpr OpSpec kSpec{
    .name = "matmul",
    .summary = "matrix product: one core, tiles over all cores, or blocks shared by multicast",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = {.max_relative_error = 0.004, .min_pcc = 0.99999, .summed = "K"},
};

/// Returns the op, for the registry.
///
/// Builds the launch.
///
/// SingleCore   core (0,0) computes out blocks in sequence. For each one it reads K blocks,
///              multiplies them subblock by subblock, spills partial sums to L1 and reloads them
///              (or the packer accumulates them there with packer_l1_acc).
/// MultiCore    each output tile belongs to one core, which reads a row of in0 and a column of in1
///              tile by tile. Block lengths do not apply, except cb_depth, in tiles.
/// Multicast2D  core (x,y) owns out block (y,x). The left column reads in0 and multicasts it along
///              rows on NoC 1 (block-sharded in0: each core in turn sends its shard). The top row
///              reads in1 and multicasts it down columns on NoC 0. The rest as SingleCore.
/// Multicast1D  cores in row-major order own rows (columns) of blocks; core (0,0) reads in1 (in0)
///              and multicasts it to the rectangle around all.
///
/// Blocks that extend beyond M or N are computed whole and written as far as the tensor extends.
/// packer_l1_acc takes effect with more than two K blocks, as upstream.
///
/// Errors   UsageError if the contract of the op or a rule does not hold:
///          - tensors with another placement than operand_layouts() requires;
///          - in0_block_w that does not divide K, blocks that do not divide;
///          - a grid that is too small or larger than the device's;
///          - a subblock of more tiles than half of DST;
///          - placements that the schedule does not support, more L1 than a core has.
/// Source   tt-metal ttnn/cpp/ttnn/operations/matmul/device/factory.
[[nodiscard]] const Op& op();

/// Extents in elements; tensors are padded to whole tiles.
struct MatmulShape {
    std::uint32_t m = 0;
    std::uint32_t k = 0;
    std::uint32_t n = 0;
};

/// Placement of tensors that a schedule requires.
struct OperandLayouts {
    TensorPlan in0;
    TensorPlan in1;
    TensorPlan out;
};

/// Returns the placement that the three tensors of a product must have, from that of the schedule.
/// Blocks of a sharded tensor are those its cores own: in0 (per_core_m × a multiple of
/// in0_block_w), out (per_core_m × per_core_n).
/// Errors   UsageError as make_program; nothing of it needs a tensor.
[[nodiscard]] OperandLayouts operand_layouts(const ArchSpec& arch, const MatmulShape& shape,
                                             const MatmulSpec& schedule);

/// Returns the float32 (M,N) from bfloat16 or float32 operands, summed in double.
[[nodiscard]] std::vector<HostTensor> reference(const ReferenceContext& context);

}  // namespace tessera::ops::matmul
