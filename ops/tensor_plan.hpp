// SPDX-License-Identifier: Apache-2.0
// Plan of a tensor: the facts that are known before its memory is allocated.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "tessera/tensor.hpp"

namespace tessera::ops {

/// Plan of a tensor on each device of a group, before it is allocated.
struct TensorPlan {
    TensorSpec spec;
    BufferType memory = BufferType::DRAM;
    TensorMemoryLayout layout = TensorMemoryLayout::INTERLEAVED;
    std::optional<ShardSpec> shard = std::nullopt;  ///< unless interleaved
};
[[nodiscard]] inline TensorPlan plan_of(const DeviceTensor& tensor) {
    return {tensor.spec, tensor.buffer.type, tensor.buffer.layout, tensor.buffer.shard};
}

/// Returns whether a call gives an optional input. One that is left out before others that are
/// given has a plan without a shape, and no tensors.
[[nodiscard]] inline bool is_given(std::span<const TensorPlan> inputs, std::size_t operand) {
    return operand < inputs.size() && !inputs[operand].spec.shape.empty();
}
template <class Tensors>
[[nodiscard]] bool is_given(std::span<const std::vector<Tensors>> inputs, std::size_t operand) {
    return operand < inputs.size() && !inputs[operand].empty();
}

}  // namespace tessera::ops
