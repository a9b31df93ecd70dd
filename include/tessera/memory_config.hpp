// SPDX-License-Identifier: Apache-2.0
// Placement of a tensor: the memory, and its distribution over banks or cores.
#pragma once

#include "tessera/arch_spec.hpp"
#include "tessera/buffer.hpp"
#include "tessera/tensor.hpp"

namespace tessera {

/// Rows and columns of elements of a shard.
struct ShardShape {
    std::uint32_t rows = 0;
    std::uint32_t columns = 0;
    friend constexpr bool operator==(ShardShape, ShardShape) = default;
};

/// Placement of a tensor: interleaved over the banks of a memory, or in shards on the cores of a
/// grid that starts at core (0,0), in DRAM on as many banks from bank 0 on.
struct MemoryConfig {
    BufferType memory = BufferType::DRAM;
    TensorMemoryLayout layout = TensorMemoryLayout::INTERLEAVED;
    GridSize grid;  ///< cores that hold shards; 0×0 if interleaved
    ShardOrientation orientation = ShardOrientation::ROW_MAJOR;
    /// Shape of each shard of a block layout, which go round the cores; 0×0: one shard for each core.
    ShardShape shard;

    /// Returns whether the layout is not INTERLEAVED.
    [[nodiscard]] bool is_sharded() const noexcept {
        return layout != TensorMemoryLayout::INTERLEAVED;
    }
};

/// Rows × columns of pages. Leading dimensions of the tensor count as further rows.
struct PageGrid {
    std::uint32_t rows = 0;
    std::uint32_t columns = 0;
};
/// Returns the grid of a tensor's pages.
[[nodiscard]] PageGrid page_grid(const TensorSpec& spec);

/// Returns the shards of a tensor under a sharded `config`: of the stated shape, else one per core.
///
/// Block: rows of pages are split over the grid's rows and columns over its columns (the other way
/// round if COL_MAJOR). Height, width: rows or columns are split over all cores. Shards have one
/// size, rounded up; the last may reach beyond the tensor.
///
/// Errors   UsageError if the grid has no cores, or a row, a column or a core would get no pages; if
///          a stated shard is none of a block layout, is not of whole pages, or does not divide the
///          tensor.
[[nodiscard]] ShardSpec make_shard_spec(const TensorSpec& spec, const MemoryConfig& config);

}  // namespace tessera
