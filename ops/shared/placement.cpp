// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/placement.hpp"

#include "tessera/memory_config.hpp"

namespace tessera::ops {

bool lies_as(const TensorPlan& tensor, const TensorPlan& expected) {
    if (tensor.memory != expected.memory || tensor.layout != expected.layout) {
        return false;
    }
    // Interleaved pages need no further comparison: their bank follows from their number.
    return tensor.layout == TensorMemoryLayout::INTERLEAVED ||
           (tensor.shard && tensor.shard->orientation == expected.shard->orientation &&
            shard_cores(*tensor.shard) == shard_cores(*expected.shard) &&
            tensor.shard->shard_shape == expected.shard->shard_shape &&
            tensor.shard->tensor_shape == expected.shard->tensor_shape);
}

TensorPlan in_dram_shards(const ArchSpec& arch, const TensorPlan& tensor, std::uint32_t rows,
                          std::uint32_t columns) {
    const PageGrid pages = page_grid(tensor.spec);
    return {.spec = tensor.spec,
            .memory = BufferType::DRAM,
            .layout = TensorMemoryLayout::BLOCK_SHARDED,
            .shard = ShardSpec{.cores = CoreRange({0, 0}, {arch.dram.num_banks - 1, 0}),
                               .shard_shape = {rows, columns},
                               .tensor_shape = {pages.rows, pages.columns},
                               .noc_coords = {}}};
}

}  // namespace tessera::ops
