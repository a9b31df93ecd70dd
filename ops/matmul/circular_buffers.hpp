// SPDX-License-Identifier: Apache-2.0
// The circular buffers of each schedule, and whether L1 holds them.
#pragma once

#include <string_view>
#include <vector>

#include "ops/matmul/blocking.hpp"
#include "ops/matmul/kernels/args.hpp"

namespace tessera::ops::matmul {

/// Operand on whose shards a circular buffer is allocated.
enum class ShardOf : std::uint8_t { None, In0, Out };

struct TileBuffer {
    std::string_view text;  ///< in messages
    std::vector<Cb> names;
    DataFormat format = DataFormat::Invalid;
    std::uint32_t num_tiles = 0;
    ShardOf shard_of = ShardOf::None;

    [[nodiscard]] std::uint64_t bytes() const {
        return std::uint64_t{num_tiles} * tile_bytes(format);
    }
};

/// Returns whether compute takes in0's blocks in its height shard: with one block of K and
/// one pass over it, as upstream.
[[nodiscard]] bool takes_in0_in_place(const Blocking& blocking, const MatmulSpec& schedule);

/// Returns the buffers of the schedules that multiply blocks. Inputs hold cb_depth blocks if K has
/// more than one. Partial sums share the output's memory if format and size are the same.
[[nodiscard]] std::vector<TileBuffer> block_buffers(const Blocking& blocking,
                                                    const MatmulSpec& schedule);
/// Returns the buffers of MultiCore: cb_depth tiles each.
[[nodiscard]] std::vector<TileBuffer> tile_buffers(const MatmulSpec& schedule);

/// Holds circular buffers and what tensors in L1 take of each core against a core's L1.
/// Errors   ScheduleError naming every part, if they do not fit.
void check_l1(const ArchSpec& arch, const std::vector<TileBuffer>& buffers,
              const OperandLayouts& layouts);

void add_buffers(Program& program, const CoreRangeSet& cores,
                 const std::vector<TileBuffer>& buffers, const Inputs& inputs,
                 const Outputs& outputs);

}  // namespace tessera::ops::matmul
