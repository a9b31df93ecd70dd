// SPDX-License-Identifier: Apache-2.0
// State of a compute kernel's units: DST, the operation that unpack and math are armed for, the
// formats of the source registers and the packer's modes.
#pragma once

#include <array>
#include <cstdint>

#include "emu/core/dst.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/call_site.hpp"
#include "tessera/data_format.hpp"
#include "tessera/launch_modes.hpp"
#include "tessera/program.hpp"
#include "tessera/trace.hpp"

namespace tessera {

/// Operation that unpack and math run after an init; calls of another kind compute garbage on the
/// chip and are refused here.
enum class UnitOperation : std::uint8_t {
    None,  ///< nothing armed since the launch
    Copy,
    Matmul,
    Eltwise,         ///< variant: EltwiseBinaryType, dim: BroadcastType
    DestReuse,       ///< variant: EltwiseBinaryType, dim: EltwiseBinaryReuseDestType
    UnaryBroadcast,  ///< dim: BroadcastType
    Reduce,          ///< variant: PoolType, dim: ReduceDim
    Transpose,
    Tilize,
    Untilize,
};

/// The last init of the unpack and math units.
struct ArmedOperation {
    UnitOperation operation = UnitOperation::None;
    std::uint8_t variant = 0;
    std::uint8_t dim = 0;
    bool transposes = false;      ///< transposes a matmul's second operand, or the copied tile
    bool adds_to_dst = false;     ///< acc_to_dest of an element-wise operation
    std::uint32_t row_tiles = 0;  ///< tilize: tiles in a row of the input
    const char* init = "";        ///< name of the init call, for messages
    CallSite site;

    [[nodiscard]] bool is(UnitOperation wanted, std::uint8_t wanted_variant,
                          std::uint8_t wanted_dim) const noexcept {
        return operation == wanted && variant == wanted_variant && dim == wanted_dim;
    }
};

/// Positions of a packed tile that the packer keeps. It writes zeros to each other position. The
/// init of a reduce sets the mask.
enum class PackMask : std::uint8_t { None, FirstColumn, FirstRow, FirstElement };

/// Activation that the packer applies to values on their way to L1. The threshold is an fp32 value.
enum class PackRelu : std::uint8_t { None, Zero, MinThreshold, MaxThreshold };

/// Formats that the units were configured for. Invalid: no init has set the format, so operands are
/// not checked against it.
struct UnitFormats {
    DataFormat srca = DataFormat::Invalid;
    DataFormat srcb = DataFormat::Invalid;
    DataFormat pack = DataFormat::Invalid;
};

/// Settings of the packer.
struct PackMode {
    PackMask mask = PackMask::None;
    PackRelu relu = PackRelu::None;
    float relu_threshold = 0.0F;
    bool accumulates_in_l1 = false;
    bool untilizes = false;      ///< between pack_untilize_*init and pack_untilize_uninit
    std::uint32_t num_rows = 0;  ///< rows of pack_rows; 0: pack_rows_init has not run
};

/// State that functions of the vector unit keep in its registers between calls. Arrays have a value
/// for each column of a tile.
struct VectorRegisters {
    std::array<float, kTileColumns> mean{};     ///< means of Welford's algorithm
    std::array<float, kTileColumns> squares{};  ///< sums of squared distances from `mean`
    std::array<float, kTileColumns> sums{};     ///< running sums of cumsum_tile
    std::uint32_t random = 0x9E3779B9U;         ///< state of rand_tile and dropout_tile
    float zero_point = 0;                       ///< set by the inits of quant_tile and its like
    std::uint32_t active_lanes = ~0U;           ///< a bit for each lane of an sfpi vector
    std::uint32_t first_vector = 0;             ///< index of the DST vector at dst_reg[0]
    std::array<std::uint32_t, 3> constants{};   ///< programmable constants of sfpi
};

/// Semaphore between the three threads of a compute kernel.
struct ThreadSemaphore {
    std::uint32_t value = 0;
    std::uint32_t max = 0;
};

/// State of one compute kernel thread. The launcher creates it and emu/api/compute changes it.
struct ComputeState {
    ComputeState(const ComputeConfig& config, const DstSpec& dst_spec);

    /// Returns the modes that a trace records.
    [[nodiscard]] ComputeModes modes() const noexcept {
        return {fidelity, dst.is_32bit(), dst.is_full_sync(), is_approximate};
    }

    /// Scratch tiles: two source registers and one tile for conversions. Their contents are
    /// undefined between calls.
    alignas(64) std::array<std::array<float, kTileElements>, 3> scratch;
    Dst dst;
    ArmedOperation armed;
    /// By SFPU function: whether its init ran. [0] is true, for functions that need no init.
    std::array<bool, 128> sfpu_inits{true};
    std::uint64_t unpacks_to_dst = 0;  ///< bit i: CB i has UnpackToDestFp32
    VectorRegisters vector_registers;
    /// Operands that the last unpack call of LLK named: two CBs, then a tile of each.
    std::array<std::uint32_t, 4> named_factors{};
    std::array<ThreadSemaphore, 8> semaphores{};
    UnitFormats formats;
    PackMode pack;
    MathFidelity fidelity;
    Maths maths = Maths::On;
    bool is_approximate;
    bool can_transpose_dst = false;  ///< transpose_wh_dest_init_short ran in this launch
};

}  // namespace tessera
