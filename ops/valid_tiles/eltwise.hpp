// SPDX-License-Identifier: Apache-2.0
// Element-wise programs over the tiles that hold routed tokens: one or two inputs, one output, all
// of one shape. What is done to a tile is the compute kernel's.
#pragma once

#include <string_view>
#include <vector>

#include "ops/valid_tiles/valid_tiles.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/program.hpp"
#include "tessera/run_spec.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops {

struct NamedTensor {
    std::string_view name;
    const DeviceTensor& tensor;
};

/// An element-wise op as its folder describes it.
struct EltwiseOp {
    std::string_view name;
    std::vector<NamedTensor> inputs;  ///< one or two
    RoutedTokens num_routed_tokens;
    const DeviceTensor& output;
    std::string_view compute_kernel;  ///< takes its number of tiles as argument 0
};

/// The spec of an output: that of an input.
/// Errors   UsageError if the input is not a bfloat16 tensor of rank 3 in TILE layout.
[[nodiscard]] TensorSpec eltwise_output_spec(std::string_view op, std::string_view name,
                                             const TensorSpec& input);

/// Builds the launch: tiles that hold tokens are dealt to the cores in contiguous ranges by
/// split_work_to_cores, a tile at a time goes through the circular buffers, and all other tiles
/// become zero.
/// Errors   UsageError if tensors differ in spec, counts do not fit, the schedule's cb_depth is 0
///          or its grid exceeds the device's.
[[nodiscard]] Program make_eltwise_program(const ArchSpec& arch, const EltwiseOp& op,
                                           const ActivationSpec& schedule);

}  // namespace tessera::ops
