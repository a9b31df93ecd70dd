// SPDX-License-Identifier: Apache-2.0
// Placement of a tensor in the memory of a device.
#pragma once

#include "ops/op.hpp"
#include "tessera/arch_spec.hpp"

namespace tessera::ops {

/// Returns whether both tensors have the same placement: each page is in the same bank or core, and
/// has the same offset from the tensor's address.
[[nodiscard]] bool lies_as(const TensorPlan& tensor, const TensorPlan& expected);

/// Returns the tensor in DRAM in shards of `rows` by `columns` pages, which go round the banks. The
/// pages of a shard follow each other in its bank, so that one read brings it in the largest
/// packets of the NoC.
/// Source   ttnn, NdShardSpec with the banks of DRAM as its grid.
[[nodiscard]] TensorPlan in_dram_shards(const ArchSpec& arch, const TensorPlan& tensor,
                                        std::uint32_t rows, std::uint32_t columns);

}  // namespace tessera::ops
