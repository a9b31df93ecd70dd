// SPDX-License-Identifier: Apache-2.0
// Where a tensor lies, in the words of a schedule: which memory, and how it is dealt to cores.
#pragma once

#include "tessera/arch_spec.hpp"
#include "tessera/buffer.hpp"
#include "tessera/tensor.hpp"

namespace tessera {

/// Interleaved over the banks of a memory, or in shards on the cores of a grid at core (0,0).
struct MemoryConfig {
    BufferType memory = BufferType::DRAM;
    TensorMemoryLayout layout = TensorMemoryLayout::INTERLEAVED;
    GridSize grid;  ///< of shards; 0×0 if interleaved
    ShardOrientation orientation = ShardOrientation::ROW_MAJOR;

    [[nodiscard]] bool is_sharded() const noexcept {
        return layout != TensorMemoryLayout::INTERLEAVED;
    }
};

/// Rows × columns of pages: leading dimensions are rows upon rows.
struct PageGrid {
    std::uint32_t rows = 0;
    std::uint32_t columns = 0;
};
[[nodiscard]] PageGrid page_grid(const TensorSpec& spec);

/// The shards of a tensor under a sharded `config`, one a core.
///
/// Block: rows of pages are split over the grid's rows and columns over its columns (the other way
/// round if COL_MAJOR). Height, width: rows or columns are split over all cores. Shards have one
/// size, rounded up; the last may reach beyond the tensor.
///
/// Errors   UsageError if the grid has no cores, or pages are too few, or of such a number, that a
///          row, a column or a core would get none.
[[nodiscard]] ShardSpec make_shard_spec(const TensorSpec& spec, const MemoryConfig& config);

}  // namespace tessera
