// SPDX-License-Identifier: Apache-2.0
// The schedule of the op matmul, with the words of TT-Metalium's matmul program configs.
#pragma once

#include <cstdint>

#include "tessera/arch_spec.hpp"
#include "tessera/data_format.hpp"
#include "tessera/subblock.hpp"

namespace tessera {

/// SingleCore: core (0,0) takes all blocks in turn.
/// MultiCore: output tiles dealt to the cores, each reads its own operands, a tile at a time.
/// Multicast2D: a block of output for each core; in0 is multicast along rows of cores, in1 down
/// columns (MatmulMultiCoreReuseMultiCast).
/// Multicast1D: one operand is multicast to all cores, the other is each core's own
/// (MatmulMultiCoreReuseMultiCast1D).
enum class MatmulSchedule : std::uint8_t { SingleCore, MultiCore, Multicast2D, Multicast1D };

/// The operand that Multicast1D sends to all cores. In1: rows of output are spread over the cores
/// (mcast_in0 = false); In0: columns are.
enum class MulticastOperand : std::uint8_t { In1, In0 };

/// Where a tensor's tiles lie.
enum class TensorPlacement : std::uint8_t {
    DramInterleaved,
    L1Interleaved,
    L1BlockSharded,
    L1HeightSharded
};

struct MatmulOperandSpec {
    TensorPlacement placement = TensorPlacement::DramInterleaved;
    DataFormat format = DataFormat::Float16_b;
};

/// All lengths count tiles; 0 means derived from the shapes where it says so.
struct MatmulSpec {
    MatmulSchedule schedule = MatmulSchedule::Multicast2D;
    MulticastOperand multicast_operand = MulticastOperand::In1;  ///< of Multicast1D
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

}  // namespace tessera
