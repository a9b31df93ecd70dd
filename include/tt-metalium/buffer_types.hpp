// SPDX-License-Identifier: Apache-2.0
// Memories, and distributions of a buffer's pages. Kernels may include this header, too.
#pragma once

namespace tt::tt_metal {

enum class TensorMemoryLayout {
    INTERLEAVED = 0,
    SINGLE_BANK = 1,
    HEIGHT_SHARDED = 2,
    WIDTH_SHARDED = 3,
    BLOCK_SHARDED = 4,
    ND_SHARDED = 5
};

enum class ShardOrientation { ROW_MAJOR = 0, COL_MAJOR = 1 };

enum class ShardDistributionStrategy { ROUND_ROBIN_1D = 0, GRID_2D = 1 };

/// Memory of a buffer. SYSTEM_MEMORY and TRACE are on the host and cannot be allocated.
enum class BufferType { DRAM, L1, SYSTEM_MEMORY, L1_SMALL, TRACE };

}  // namespace tt::tt_metal
