// SPDX-License-Identifier: Apache-2.0
// Element-wise ops over the tiles that hold routed tokens: one or two inputs, one output, all of
// one shape. What is done to a tile is the compute kernel's.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "ops/op.hpp"
#include "ops/shared/schedule_fields.hpp"
#include "ops/shared/valid_tiles/valid_tiles.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/program.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops {

/// The parameters of silu, mul and silu_mul.
struct ActivationSpec {
    SplitBy split_by = SplitBy::Device;
    GridSize grid;               ///< cores to spread over; 0×0: all that the device offers
    std::uint32_t cb_depth = 0;  ///< tiles that each CB holds
    bool fp32_dest_acc = true;
};

inline constexpr std::array kActivationFields{
    config::field<&ActivationSpec::split_by>("split_by", "device", kSplitByProse),
    config::field<&ActivationSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
    config::field<&ActivationSpec::cb_depth>("cb_depth", "2", "tiles in a CB", kDepth),
    config::field<&ActivationSpec::fp32_dest_acc>("fp32_dest_acc", "true", "32-bit DST"),
};

/// What an op does to the elements that its inputs have at one place.
using ElementFunction = std::function<double(std::span<const double>)>;

/// An op whose inputs are one or two tensors of one shape and their counts of routed tokens.
/// `compute_kernel` takes its number of tiles as argument 0 (kernels/block_count.hpp).
[[nodiscard]] Op make_eltwise_op(const OpSpec& spec, std::string_view compute_kernel,
                                 const ElementFunction& function);

/// Tensors of one launch.
struct EltwiseTensors {
    std::vector<const DeviceTensor*> inputs;  ///< one or two
    RoutedTokens num_routed_tokens;
    const DeviceTensor& output;
};

/// Builds the launch: tiles that hold tokens are dealt to the cores in contiguous ranges by
/// split_work_to_cores, a tile at a time goes through the circular buffers, and all other tiles
/// become zero.
/// Errors   UsageError if the contract or a rule of `op` does not hold, or counts do not fit.
[[nodiscard]] Program make_eltwise_program(const Op& op, std::string_view compute_kernel,
                                           const ArchSpec& arch, const EltwiseTensors& tensors,
                                           const ActivationSpec& schedule);

/// Float32 (E/D,T,H) of `function` applied to bfloat16 or float32 inputs of that shape; zero beyond
/// each expert's tokens.
[[nodiscard]] HostTensor eltwise_reference(const std::vector<const HostTensor*>& inputs,
                                           std::span<const std::uint32_t> num_routed_tokens,
                                           const ElementFunction& function);

}  // namespace tessera::ops
